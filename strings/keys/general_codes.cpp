#include "strings/keys/general_codes.hpp"

#include <langinfo.h>
#include <locale.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "base/bits.hpp"

namespace ordo::inline v0::strings::detail {

namespace {

constexpr unsigned no_number = 1, nan = 2;
// Codes of positive numbers. Those of negative numbers are negated.
constexpr unsigned zero = 128, small = 129, near_one = 190, large = 251, infinite = 252;
constexpr int nearest = 60;           // near_one + x is the code of an exponent x from -60 to 60
constexpr int min_exponent = -16500;  // below the exponents of long double, whose greatest is no farther from 0

constexpr bool extended = std::numeric_limits<long double>::digits == 64;  // the format of x86

// A number above 0: [0.5, 1) * 2^exponent, and the bits of the mantissa from the highest on, six at a time.
class parts {
 public:
  explicit parts(long double value) {
    if constexpr (extended) {
      std::uint16_t field = 0;
      std::memcpy(&mantissa_, &value, 8);
      std::memcpy(&field, reinterpret_cast<char const*>(&value) + 8, 2);
      unsigned const zeros = leading_zeros(mantissa_);  // if the number is subnormal
      mantissa_ <<= zeros;
      exponent = std::max<int>(field & 0x7fff, 1) - 16382 - int(zeros);
    } else {
      rest_ = std::frexp(std::fabs(value), &exponent);
    }
  }
  int exponent = 0;
  [[nodiscard]] bool more() const { return extended ? mantissa_ != 0 : rest_ != 0; }
  unsigned next() {
    if constexpr (extended) {
      auto const bits = unsigned(mantissa_ >> 58);
      mantissa_ <<= 6;
      return bits;
    }
    rest_ *= 64;
    auto const bits = unsigned(rest_);
    rest_ -= bits;
    return bits;
  }

 private:
  std::uint64_t mantissa_ = 0;
  long double rest_ = 0;
};

}  // namespace

// Writes sign and exponent as one code, or as three if the exponent is far from 0; then six bits of the mantissa a code, with a
// bit that is set if more bits follow that are not all 0.
void write_value(long double value, general_number& number) {
  if (value == 0) return number.put(zero);
  key_output<general_number> const put(number, std::signbit(value));
  if (std::isinf(value)) return put(infinite);
  parts of(value);
  if (of.exponent >= -nearest && of.exponent <= nearest) {
    put(unsigned(int{near_one} + of.exponent));
  } else {
    put(of.exponent < 0 ? small : large);
    auto const above = unsigned(of.exponent - min_exponent);
    put(1 + above / 200);
    put(1 + above % 200);
  }
  while (of.more()) {
    unsigned const bits = of.next();
    put(1 + 2 * bits + of.more());
  }
}

namespace {

// GNU sort compares NaNs as printf writes them, "-nan" and "nan"; 9.1 compared their bytes in memory.
void write_nan(long double value, bool as_bytes, general_number& number) {
  number.put(nan);
  if (!as_bytes) return number.put(std::signbit(value) ? 1 : 2);
  constexpr std::size_t size = extended ? 10 : sizeof value;  // without padding
  unsigned char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  for (std::size_t i = 0; i < size; ++i) {
    number.put(1 + bytes[i] / 16);
    number.put(1 + bytes[i] % 16);
  }
}

// Reads a number of up to 19 digits with a small exponent: an integer times or over a power of ten, both exact, is rounded
// once, as strtold rounds it (Clinger, PLDI'90). Returns false for other texts.
bool read_short_number(char const* text, locale_t in, long double& value) {
  constexpr int max_digits = 19, max_exponent = 27;
  static_assert(std::numeric_limits<long double>::digits >= 64);  // 10^19 < 2^64, 5^27 < 2^63
  static constexpr auto powers = [] {
    std::array<long double, max_exponent + 1> p{1};
    for (std::size_t i = 1; i < p.size(); ++i) p[i] = 10 * p[i - 1];
    return p;
  }();
  char const* const point = nl_langinfo_l(RADIXCHAR, in);
  if (point[0] == 0 || point[1] != 0) return false;
  while (*text == ' ') ++text;
  bool const negative = *text == '-';
  if (negative || *text == '+') ++text;
  if (*text == '0' && (text[1] | 32) == 'x') return false;
  std::uint64_t digits = 0;
  int count = 0, exponent = 0;
  auto const take = [&] {
    char const* const first = text;
    for (; is_digit(static_cast<unsigned char>(*text)) && count <= max_digits; ++text) {
      digits = 10 * digits + std::uint64_t(*text - '0');
      ++count;
    }
    return int(text - first);
  };
  take();
  if (*text == *point) {
    ++text;
    exponent = -take();
  }
  if (count == 0 || count > max_digits || (*text | 32) == 'e' || exponent < -max_exponent) return false;
  value = exponent < 0 ? static_cast<long double>(digits) / powers[std::size_t(-exponent)] : static_cast<long double>(digits);
  if (negative) value = -value;
  return true;
}

general_number read(char const* text, locale_t in, bool nan_bytes) {
  general_number number;
  long double value = 0;
  if (!read_short_number(text, in, value)) {
    char* end = nullptr;
    value = strtold_l(text, &end, in);
    if (end == text) {
      number.put(no_number);
      return number;
    }
  }
  if (std::isnan(value))
    write_nan(value, nan_bytes, number);
  else
    write_value(value, number);
  return number;
}

}  // namespace

general_number read_general_number(compiled_key const& by, text_piece const& of, bool nan_bytes) {
  char small_text[64];
  std::string large_text;
  char* text = small_text;
  if (std::size_t(of.last - of.first) >= sizeof small_text) {
    large_text.resize(std::size_t(of.last - of.first) + 1);
    text = large_text.data();
  }
  char* to = text;
  for (mapped_piece piece(by, of); *piece != mapped_piece::end; ++piece) *to++ = static_cast<char>(*piece);
  *to = 0;
  return read(text, by.locale, nan_bytes);
}

}  // namespace ordo::inline v0::strings::detail
