#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/strsort/command.hpp"

namespace ordo::strsort {

/// Adds the files that --files0-from names, and standard input where there is none at all. @throws usage_error, input_error
void read_file_names(command& made, caller const& by);
/// The seed of -R: the first bytes of the file, or of the system's random numbers. @throws input_error
std::array<unsigned char, 16> read_seed(std::optional<std::string> const& source);
/// @throws input_error, beginning with `what`, if the file ("-": standard input) cannot be opened for reading
void must_be_readable(std::string const& file, std::string_view what);
/// What regular files among them have left to read, together.
std::uint64_t known_bytes(std::vector<std::string> const& files);
/// How many files can still be opened; more than `enough` are not counted.
std::size_t free_descriptors(std::size_t enough);

}  // namespace ordo::strsort
