#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/strings.hpp"

namespace ordo::inline v0::strings::detail {

struct merge_counts {
  std::uint64_t read = 0, written = 0;  // bytes, with the delimiters that were added
};

/// Writes the smallest of the texts' next lines until all have ended. Of equal lines, that of the first text comes first.
/// @param memory  for the buffers of all texts; a line that is longer takes what it needs
merge_counts merge_lines(std::vector<std::unique_ptr<source>> texts, sink& to, sort_options const& options, duplicates equal,
                         std::size_t memory);

}  // namespace ordo::inline v0::strings::detail
