#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ordo/suffix/index.hpp"

namespace ordo::inline v0::sufsort {

/// What an interrupted search for duplicates has found, in a file that is replaced as a whole after each range.
struct finished_ranges {
  suffix::mapped_file file;  // the file with the marks
  std::size_t finished = 0;  // as in suffix::copy_finder
  std::span<std::uint64_t const> marks;
};

/// Reads the file; nothing if there is none.
/// @param identity  a checksum of all that the search depends on
/// @throws input_error  if the file is damaged, something else, or of another search
std::optional<finished_ranges> load_finished(std::string const& path, std::uint32_t identity);

/// Writes the file. @throws output_error  then the old one is unchanged
void save_finished(std::string const& path, std::uint32_t identity, std::size_t finished, std::span<std::uint64_t const> marks);

}  // namespace ordo::inline v0::sufsort
