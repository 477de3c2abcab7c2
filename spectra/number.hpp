#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fast_float/fast_float.h>

#include "spectra/line.hpp"

// Numbers as mass spectrometry writes them: a sign (+ too), digits with at most one point, at least one digit, an exponent;
// ended by a blank or a line end. Nothing here depends on the locale.
namespace ordo::spectra::detail {

/// Some of the digits of a number: their value while that fits 64 bits, and how many there are.
struct digits {
  std::uint64_t value = 0;
  std::size_t count = 0;
};

/// The first `count` (0 to 8) of the decimal digits in `word`, which was loaded from memory on a little-endian machine.
inline std::uint64_t eight_digits(std::uint64_t word, unsigned count) {
  if (count == 0) return 0;
  word = (word ^ 0x3030303030303030) << (64 - 8 * count);  // what is above the digits falls off; zeros come in front
  word = word * 10 + (word >> 8);
  return (((word & 0x000000ff000000ff) * 0x000f424000000064) + (((word >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >>
         32;
}

inline constexpr std::array<std::uint64_t, 9> powers_of_ten{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// Takes the digits at p, which moves behind them, eight at a time where as many bytes lie before `end`.
inline void take_digits(char const*& p, char const* end, digits& number) {
  if constexpr (std::endian::native == std::endian::little) {
    while (end - p >= 8) {
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      // 0x80 in every byte that is no digit, exact up to the first of them.
      std::uint64_t const other = word ^ 0x3030303030303030;
      std::uint64_t const stops = ((other + 0x7676767676767676) | other) & 0x8080808080808080;
      unsigned const count = stops ? unsigned(std::countr_zero(stops)) / 8 : 8;
      number.value = number.value * powers_of_ten[count] + eight_digits(word, count);
      number.count += count;
      p += count;
      if (count != 8) return;
    }
  }
  for (; *p >= '0' && *p <= '9'; ++p, ++number.count) number.value = number.value * 10 + std::uint64_t(*p - '0');
}

/// Reads the number at p, which moves behind it; its value too, if Wanted. The text must hold a line end at or behind p and
/// before `end`. What is beyond the range of double counts as infinite or as zero.
/// @returns false, p and value undefined, if the word at p is no number
template <bool Wanted = true>
[[gnu::always_inline]] inline bool take_number(char const*& p, char const* end, double& value) {
  constexpr std::array<double, 23> exact{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  bool const negative = *p == '-';
  if (negative || *p == '+') ++p;
  char const* const first = p;
  digits number;
  take_digits(p, end, number);
  std::size_t decimals = 0;
  if (*p == '.') {
    std::size_t const before = number.count;
    take_digits(++p, end, number);
    decimals = number.count - before;
  }
  if (number.count == 0) return false;
  bool const plain = *p != 'e' && *p != 'E';
  if (!plain) {
    ++p;
    if (*p == '-' || *p == '+') ++p;
    if (*p < '0' || *p > '9') return false;
    while (*p >= '0' && *p <= '9') ++p;
  }
  if (!is_blank(*p) && !is_line_end(*p)) return false;
  if constexpr (!Wanted) return true;
  // Clinger's fast path: both numbers are exact in double, so their quotient is rounded once.
  if (plain && number.count <= 19 && number.value < (std::uint64_t{1} << 53) && decimals < exact.size())
    value = double(number.value) / exact[decimals];
  else
    fast_float::from_chars(first, p, value);
  if (negative) value = -value;
  return true;
}

}  // namespace ordo::spectra::detail
