#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fast_float/fast_float.h>

#include "base/byte_mask.hpp"
#include "spectra/mgf/line.hpp"

// Numbers as mass spectrometry writes them: a sign (+ too), digits with at most one point, at least one digit, an exponent;
// ended by a blank or a line end. Nothing here depends on the locale.
namespace ordo::inline v0::spectra::detail {

/// The value of eight bytes 0 to 9, loaded from memory on a little-endian machine: the first, the lowest, counts most.
inline std::uint64_t eight_digits(std::uint64_t bytes) {
  bytes = bytes * 10 + (bytes >> 8);
  return (((bytes & 0x000000ff000000ff) * 0x000f424000000064) + (((bytes >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >>
         32;
}

inline constexpr std::array<std::uint64_t, 8> powers_of_ten{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

/// Powers of ten that are exact in double.
inline constexpr std::array<double, 20> double_powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                                             1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

/// Appends the digits at p to `value`, if Wanted, modulo 2^64. Reads eight at a time where as many bytes lie before `end`.
/// @returns the end of the digits
template <bool Wanted>
inline char const* consume_digits(char const* p, char const* end, std::uint64_t& value) {
  if constexpr (std::endian::native == std::endian::little) {
    for (; end - p >= 8; p += 8) {
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      word ^= 0x3030303030303030;
      // 0x80 in every byte that is no digit, exact up to the first of them.
      std::uint64_t const stops = ((word + 0x7676767676767676) | word) & 0x8080808080808080;
      if (stops != 0) {
        unsigned const count = unsigned(std::countr_zero(stops)) / 8;
        // Shifts out the bytes above the digits, and zeros in. In two steps, as one shift by 64 is undefined.
        if constexpr (Wanted) value = value * powers_of_ten[count] + eight_digits(word << (63 - 8 * count) << 1);
        return p + count;
      }
      if constexpr (Wanted) value = value * 100000000 + eight_digits(word);
    }
  }
  for (; *p >= '0' && *p <= '9'; ++p) value = value * 10 + std::uint64_t(*p - '0');
  return p;
}

/// Reads the number at p, which moves after it; its value too, if Wanted. The text must hold a line end at or after p and
/// before `end`. Values beyond the range of double count as infinite or zero.
/// @returns false, p and value undefined, if the word at p is no number
template <bool Wanted = true>
[[gnu::always_inline]] inline bool consume_number(char const*& p, char const* end, double& value) {
  bool const negative = *p == '-';
  if (negative || *p == '+') ++p;
  char const* const first = p;
  std::uint64_t digits = 0;
  p = consume_digits<Wanted>(p, end, digits);
  std::ptrdiff_t count = p - first, decimals = 0;
  if (*p == '.') {
    char const* const point = p;
    p = consume_digits<Wanted>(p + 1, end, digits);
    decimals = p - point - 1;
    count += decimals;
  }
  if (count == 0) return false;
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
  if (plain && count <= 19 && digits < (std::uint64_t{1} << 53))
    value = double(digits) / double_powers_of_ten[std::size_t(decimals)];
  else
    fast_float::from_chars(first, p, value);
  if (negative) value = -value;
  return true;
}

/// Reads the line at p, which moves to its LF, if it has the form of most peaks: two numbers without sign and
/// exponent, each with seven digits at most before and after its point, one blank between them, and an LF; 32 bytes at most.
/// The end of the line is known before its numbers are, so that the processor can begin with the next line meanwhile.
/// @param mz, intensity  the values, if wanted
/// @returns false, with p unchanged, for other lines
template <bool Mz, bool Intensity>
[[gnu::always_inline]] inline bool consume_plain_pair(char const*& p, char const* end, double& mz, double& intensity) {
  constexpr unsigned max_digits = 7;
  if (std::endian::native != std::endian::little || std::size_t(end - p) < half_row::size + 8) return false;
  half_row const row(p);
  std::uint32_t const feeds = row.equal_to('\n');
  std::uint32_t others = ~row.digits();
  if (feeds == 0) return false;
  unsigned const line_end = unsigned(std::countr_zero(feeds));
  auto const next_other = [&] {
    unsigned const at = unsigned(std::countr_zero(others));
    others &= others - 1;
    return at;
  };
  struct number {
    unsigned begin, point, end, decimals;
    [[nodiscard]] bool good() const {
      return point - begin <= max_digits && decimals <= max_digits && point - begin + decimals != 0;
    }
  };
  auto const next_number = [&](unsigned begin) {
    unsigned const point = next_other();
    if (p[point] != '.') return number{begin, point, point, 0};
    unsigned const stop = next_other();
    return number{begin, point, stop, stop - point - 1};
  };
  number const first = next_number(0), second = next_number(first.end + 1);
  if (!is_blank(p[first.end]) || second.end != line_end || !first.good() || !second.good()) return false;
  auto const digits_at = [&](unsigned at, unsigned count) {
    std::uint64_t word;
    std::memcpy(&word, p + at, 8);
    return eight_digits((word ^ 0x3030303030303030) << (63 - 8 * count) << 1);
  };
  auto const to_value = [&](number const& wanted) {
    std::uint64_t const digits = digits_at(wanted.begin, wanted.point - wanted.begin) * powers_of_ten[wanted.decimals] +
                                 digits_at(wanted.point + 1, wanted.decimals);
    return double(digits) / double_powers_of_ten[wanted.decimals];
  };
  if constexpr (Mz) mz = to_value(first);
  if constexpr (Intensity) intensity = to_value(second);
  p += line_end;
  return true;
}

}  // namespace ordo::inline v0::spectra::detail
