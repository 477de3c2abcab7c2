#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/strings/external_sort.hpp"
#include "strings/external/partition.hpp"

namespace ordo::inline v0::strings::detail {

/// Returns the memory that sort_external() keeps to. Finds out how much is available.
memory_plan make_memory_plan(sort_options const& options, spill_options const& spill);

/// What sort_external() takes for a text on the CPU.
struct sort_plan {
  std::size_t memory;  // bytes for all lines at once
  std::uint64_t runs;  // on disk, each about as long as the others; 0: all lines fit in memory
};

/// Plans the sort of a text of `bytes` bytes whose lines are about equally long.
sort_plan plan_sort(memory_plan const& plan, std::uint64_t bytes, std::uint64_t lines);

}  // namespace ordo::inline v0::strings::detail
