#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordo/strings.hpp"
#include "strings/external/runs.hpp"

namespace ordo::strings::detail {

/// Memory that sorting takes, by what is sorted.
struct memory_plan {
  order by;
  char delimiter = '\n';
  std::size_t limit = 0;
  std::size_t most = 0;  // what a line that is longer than `limit` may take

  /// Beside the text.
  [[nodiscard]] std::size_t beside(std::uint64_t bytes, std::uint64_t lines) const {
    return memory_needed(device::cpu, std::size_t(bytes), std::size_t(lines), by, delimiter);
  }
  /// Text, order and all that sorting needs beside them.
  [[nodiscard]] std::size_t needed(std::uint64_t bytes, std::uint64_t lines) const {
    return std::size_t(bytes) + beside(bytes, lines);
  }
  [[nodiscard]] bool fits(std::uint64_t bytes, std::uint64_t lines) const { return needed(bytes, lines) <= limit; }
};

/// A range of the order: what of each run is in it, in the order of the runs.
struct range {
  std::vector<slice> slices;
  bool sorted = false;  // one slice, or lines that are all equal: slices need only follow one another

  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t lines() const;
};

/// Cuts runs into ranges that follow one another in the order, each of which fits the memory or is sorted already. Equal lines
/// are in the same range. By splitters, which are lines from regular places of all runs (Frazer and McKellar's samplesort).
std::vector<range> cut_into_ranges(std::vector<run> const& runs, options const& how, memory_plan const& plan);

}  // namespace ordo::strings::detail
