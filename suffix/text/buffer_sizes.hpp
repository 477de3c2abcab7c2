#pragma once
#include <cstddef>

#include "ordo/memory.hpp"

namespace ordo::inline v0::suffix::detail {

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

}  // namespace ordo::inline v0::suffix::detail
