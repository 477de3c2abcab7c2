#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/strings.hpp"

namespace ordo::strings::detail {

struct merged {
  std::uint64_t read = 0, written = 0;  // bytes, delimiters that were added counted
};

/// Always the least of the texts' next lines, of equal ones the first text's, by a loser tree (Knuth, volume 3, 5.4.1).
/// @param memory  bytes that are read ahead, of all texts; a longer line takes what it needs
merged merge_lines(std::vector<std::unique_ptr<source>> texts, sink& to, options const& how, repeated equal,
                   std::size_t memory);

}  // namespace ordo::strings::detail
