#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "base/byte_mask.hpp"

// Searches for a byte in host memory.
namespace ordo::inline v0 {

/// Returns the number of bytes of p[0, n) that equal `value`.
inline std::size_t count_bytes(unsigned char const* p, std::size_t n, unsigned char value) {
  constexpr std::size_t lanes = 16, rounds = 16;  // rounds is below 256: a counter is a byte
  std::size_t count = 0, i = 0;
  for (; i + lanes * rounds <= n; i += lanes * rounds) {
    unsigned char counts[lanes] = {};
    for (std::size_t r = 0; r < rounds; ++r)
      for (std::size_t k = 0; k < lanes; ++k)
        counts[k] = static_cast<unsigned char>(counts[k] + (p[i + r * lanes + k] == value));
    for (unsigned char c : counts) count += c;
  }
  for (; i < n; ++i) count += p[i] == value;
  return count;
}

/// Calls f(i) for each i in [0, n) with p[i] == value, in ascending order. First it notes the places in some hundred bytes,
/// four at a time: it would wrongly predict the end of a loop for each place.
/// @param value  below 0x80
template <class F>
void each_equal_byte(unsigned char const* p, std::size_t n, unsigned char value, F f) {
  constexpr std::size_t block = 256, at_once = 4;
  for (std::size_t begin = 0; begin < n; begin += block) {
    std::uint8_t places[block + at_once];
    std::size_t result = 0;
    for (std::size_t at = begin; at < std::min(n, begin + block); at += byte_row_size) {
      std::size_t const left = n - at;
      std::uint64_t bits =
          left >= byte_row_size ? byte_row(p + at).equal_to(value) : byte_row(p + at, left).equal_to(value) & low_bits(left);
      std::size_t const end = result + count_ones(bits);
      do {
        for (std::size_t k = 0; k < at_once; ++k, bits &= bits - 1)
          places[result + k] = static_cast<std::uint8_t>(at - begin + trailing_zeros(bits));
        result += at_once;
      } while (result < end);
      result = end;
    }
    for (std::size_t k = 0; k < result; ++k) f(begin + places[k]);
  }
}

}  // namespace ordo::inline v0
