#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ordo::inline v0::suffix {

/// Returns the number of letters, up to max_length, with which two strings both begin.
inline std::size_t common_prefix(char const* a, char const* b, std::size_t max_length) {
  std::size_t i = 0;
  for (; i + 8 <= max_length; i += 8) {
    std::uint64_t x, y;
    std::memcpy(&x, a + i, 8);
    std::memcpy(&y, b + i, 8);
    if (x != y) return i + std::size_t(std::countr_zero(x ^ y)) / 8;
  }
  while (i < max_length && a[i] == b[i]) ++i;
  return i;
}

}  // namespace ordo::inline v0::suffix
