#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ordo/backend.hpp"
#include "ordo/memory.hpp"
#include "sort_core/refinement.hpp"

namespace ordo::inline v0::suffix::detail {

/// Consecutive rows of the order, whose suffixes are sorted separately from all others.
struct place_range {
  std::size_t first, count;
};

/// Sizes of the buffers of one machine.
struct buffer_sizes {
  bool copies;  // whether uploads and download targets are copies, not the host's memory itself

  static std::size_t of(std::size_t count, std::size_t size) { return count == 0 ? 0 : pool::rounded(count * size); }
  [[nodiscard]] std::size_t copy(std::size_t count, std::size_t size) const { return copies ? of(count, size) : 0; }

  /// Returns the size of the bounds of records and of their bits.
  static std::size_t breaks(std::size_t n, std::size_t records) {
    return of(records + 1, 8) + of(n / 64 + 2, 8) + of(n / 64 / 4096 + 1, 8);
  }
  /// Returns the temporary memory of operations that do not state theirs.
  [[nodiscard]] std::size_t verbs(std::size_t n) const { return copies ? n / 64 + (std::size_t{1} << 20) : 0; }
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
