#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "base/byte_mask.hpp"

// Searches for a byte in host memory.
namespace ordo::inline v0 {

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
