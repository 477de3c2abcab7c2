#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ordo/backend.hpp"
#include "ordo/memory.hpp"
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/text/buffer_sizes.hpp"

namespace ordo::inline v0::suffix::detail {

/// Consecutive rows of the order, whose suffixes are sorted separately from all others.
struct place_range {
  std::size_t first, count;
};

/// Returns the maximum memory of sorting a range of `suffixes` suffixes, including its part of the order.
template <class Index, Backend B>
std::size_t range_memory(std::size_t suffixes) {
  using open = refinement<B, Index, Index>;
  std::size_t const part = buffer_sizes::of(suffixes, sizeof(Index)), key = sizeof(std::uint64_t);
  std::size_t const first =
      buffer_sizes::of(suffixes, key) + std::max(B::radix_sort_memory(suffixes, key, sizeof(Index)), open::memory(suffixes));
  std::size_t const round = std::max(open::sort_memory(suffixes, suffixes / 2, key), part);
  return part + std::max(first, open::memory(suffixes) + round);
}

/// Returns the maximum number of suffixes in a range that can be sorted in `bytes` bytes; at least one.
template <class Index, Backend B>
std::size_t suffixes_in_range(std::size_t n, std::size_t bytes) {
  std::size_t max_count = std::max<std::size_t>(n, 1);
  while (max_count > 1 && range_memory<Index, B>(max_count) > bytes) max_count -= (max_count + 15) / 16;
  return max_count;
}

}  // namespace ordo::inline v0::suffix::detail
