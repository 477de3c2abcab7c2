#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bits.hpp"

namespace ordo::inline v0::suffix {

/// Returns the number of bytes, up to max_length, with which two strings both begin.
ORDO_FN inline std::size_t common_prefix(char const* a, char const* b, std::size_t max_length) {
  std::size_t i = 0;
  for (; i + 8 <= max_length; i += 8) {
    std::uint64_t x, y;
    std::memcpy(&x, a + i, 8);
    std::memcpy(&y, b + i, 8);
    if (x != y) return i + trailing_zeros(x ^ y) / 8;
  }
  while (i < max_length && a[i] == b[i]) ++i;
  return i;
}

/// Returns the number of bytes, up to max_length, with which two strings both end.
inline std::size_t common_suffix(char const* end_a, char const* end_b, std::size_t max_length) {
  std::size_t i = 0;
  for (; i + 8 <= max_length; i += 8) {
    std::uint64_t x, y;
    std::memcpy(&x, end_a - i - 8, 8);
    std::memcpy(&y, end_b - i - 8, 8);
    if (x != y) return i + leading_zeros(x ^ y) / 8;  // on little-endian machines
  }
  while (i < max_length && end_a[-1 - std::ptrdiff_t(i)] == end_b[-1 - std::ptrdiff_t(i)]) ++i;
  return i;
}

/// Returns residue i of residues of `size` bytes: of bytes, or of tokens of 2 or 4.
inline std::uint32_t residue_at(char const* residues, std::size_t i, std::size_t size) {
  if (size == 1) return static_cast<unsigned char>(residues[i]);
  std::uint32_t residue = 0;
  std::memcpy(&residue, residues + i * size, size);  // on little-endian machines
  return residue;
}

}  // namespace ordo::inline v0::suffix
