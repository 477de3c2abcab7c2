#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sort_core/backend.hpp"
#include "sort_core/memory.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/suffix.hpp"

// What build_on and find_fault take from a machine's pool at most, buffer by buffer as they take them.
namespace ordo::suffix::detail {

/// The sizes of buffers of one machine.
struct buffer_sizes {
  bool copies;  // is what is uploaded, and what comes down, a copy of the host's? Else it is the host's memory itself

  static std::size_t of(std::size_t count, std::size_t size) { return count == 0 ? 0 : pool::rounded(count * size); }
  [[nodiscard]] std::size_t copy(std::size_t count, std::size_t size) const { return copies ? of(count, size) : 0; }

  /// The bounds of records, and their bits.
  static std::size_t breaks(std::size_t n, std::size_t records) { return of(records + 1, 8) + of(n / 64 + 2, 8); }
  /// Temporary memory of verbs that do not state theirs.
  [[nodiscard]] std::size_t verbs(std::size_t n) const { return copies ? n / 64 + (std::size_t{1} << 20) : 0; }
};

/// See suffix::memory_needed.
template <class Index, Backend B>
memory_plan build_memory(std::size_t n, std::size_t records, wanted what, bool copies) {
  buffer_sizes const size{copies};
  std::size_t const index = sizeof(Index), key = sizeof(std::uint64_t);
  // How many bits a letter takes is not known: at most eight.
  std::size_t const packed = size.breaks(n, records) + size.of(n / 8 + 3, 8) + size.copy(256, 1);
  std::size_t const packing = packed + size.copy(n, 1) + size.copy(256, 1) + size.copy(records, 8);
  std::size_t const sa = size.copy(n, index), lcp = what.lcp ? size.copy(n, index) : 0;
  std::size_t const order = packed + sa;
  auto const with_open = [&](std::size_t open) {
    std::size_t const groups = refinement<B, Index, Index>::memory(open);
    std::size_t const first = order + size.of(n, key) + std::max(B::radix_sort_memory(n, key, index), groups + lcp);
    std::size_t const round = std::max(refinement<B, Index, Index>::sort_memory(open, open / 2, key), size.of(open, index));
    std::size_t const rounds = open == 0 ? 0 : order + lcp + groups + size.of(n + 1, index) + round;
    std::size_t const lengths = order + lcp + (what.lcp ? size.of(n, index) + size.of(open, index) : 0);
    std::size_t const rows = order + lcp + (what.bwt ? size.copy(n, 1) + size.of(records, 1) : 0);
    return size.verbs(n) + std::max({packing, first, rounds, lengths, rows});
  };
  return {with_open(0), with_open(n)};
}

/// See suffix::memory_for_check.
template <class Index, Backend B>
std::size_t proof_memory(std::size_t n, std::size_t records, bool copies) {
  buffer_sizes const size{copies};
  std::size_t const index = sizeof(Index), order = size.copy(n, index) + size.of(n, index);
  std::size_t const inverse = order + size.of(n, index) + B::radix_sort_memory(n, index, index);
  std::size_t const text = size.breaks(n, records) + size.copy(n, 1) + size.copy(records, 8);
  std::size_t const arrays = std::max(size.copy(n, index) + size.of(n, index), size.copy(n, 1));
  return size.verbs(n) + std::max(inverse, order + text + arrays);
}

}  // namespace ordo::suffix::detail
