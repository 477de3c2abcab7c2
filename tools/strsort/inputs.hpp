#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/strsort/options/command.hpp"

namespace ordo::inline v0::strsort {

/// Adds the files of --files0-from, or standard input if there are no files. @throws usage_error, input_error
void read_file_names(command& made, caller const& by);
/// Returns the seed of -R: the first bytes of the file, or random bytes of the system. @throws input_error
std::array<unsigned char, 16> read_seed(std::optional<std::string> const& source);
/// Checks that a file ("-": standard input) can be opened for reading. @throws input_error  whose message begins with `problem`
void must_be_readable(std::string const& file, std::string_view problem);
/// Returns the bytes that are left to read in the regular files among these.
std::uint64_t known_bytes(std::vector<std::string> const& files);
/// Returns the number of files that can still be opened, at most `enough`.
std::size_t free_descriptors(std::size_t enough);

}  // namespace ordo::inline v0::strsort
