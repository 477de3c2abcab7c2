#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/external/runs.hpp"
#include "ordo/strings.hpp"
#include "ordo/strings/external_sort.hpp"

namespace ordo::inline v0::strings::detail {

/// The memory that sorting takes, by the size of the text.
struct memory_plan {
  order by;
  char delimiter = '\n';
  std::size_t limit = 0;
  std::size_t max_line = 0;  // the memory that a line longer than `limit` may take

  /// Returns the memory that sorting takes besides the text.
  [[nodiscard]] std::size_t beside(std::uint64_t bytes, std::uint64_t lines) const {
    return sort_memory(device::cpu, std::size_t(bytes), std::size_t(lines), by, delimiter);
  }
  /// Returns the memory for the text, the order and sorting.
  [[nodiscard]] std::size_t needed(std::uint64_t bytes, std::uint64_t lines) const {
    return std::size_t(bytes) + beside(bytes, lines);
  }
  [[nodiscard]] bool fits(std::uint64_t bytes, std::uint64_t lines) const { return needed(bytes, lines) <= limit; }
};

/// Returns the memory that sort_external() keeps to. Finds out how much is available.
memory_plan make_memory_plan(sort_options const& options, spill_options const& spill);

/// What sort_external() takes for a text on the CPU.
struct sort_plan {
  std::size_t memory;  // bytes for all lines at once
  std::uint64_t runs;  // on disk, each about as long as the others; 0: all lines fit in memory
};

/// Plans the sort of a text of `bytes` bytes whose lines are about equally long.
sort_plan plan_sort(memory_plan const& plan, std::uint64_t bytes, std::uint64_t lines);

/// A run of lines, each with its delimiter. Counts of lines in blocks of equal size estimate how many lines a part has.
struct line_run {
  external::stored_range stored;
  std::uint64_t block = 1;  // bytes
  std::vector<std::uint32_t> lines_in_block;

  /// Estimates the number of lines in the bytes [begin, end).
  [[nodiscard]] double lines(std::uint64_t begin, std::uint64_t end) const;
};

/// Stores what fill(sink) writes, at most `max_bytes` bytes of lines, as a run. Runs that a program compresses are not counted.
line_run write_line_run(external::run_files& files, std::uint64_t max_bytes, char delimiter,
                        std::function<void(sink&)> const& fill);

/// A range of the order: its part of each run, in the order of the runs.
struct line_range {
  std::vector<external::run_range> parts;
  bool sorted = false;      // a single part, or equal lines only: the parts one after the other are in order
  std::uint64_t lines = 0;  // estimated, unless it is sorted

  [[nodiscard]] std::uint64_t bytes() const;
};

/// Cuts runs into ranges, each of which fits the memory or is sorted already. Equal lines are in the same range. The splitters
/// are lines drawn from all runs at regular distances (Frazer and McKellar's samplesort).
std::vector<line_range> cut_into_ranges(std::span<line_run const> runs, sort_options const& options, memory_plan const& plan);

/// Shortens a part that is not empty to its first line.
void keep_first_line(external::run_range& part, char delimiter);

}  // namespace ordo::inline v0::strings::detail
