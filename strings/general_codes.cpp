#include "strings/general_codes.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <locale.h>
#include <string>

namespace ordo::strings::detail {

namespace {

constexpr unsigned no_number = 1, nan = 2;
// Of positive numbers; those of negative ones are negated.
constexpr unsigned zero = 128, small = 129, near_one = 190, large = 251, infinite = 252;
constexpr int nearest = 60;  // near_one + x stands for the exponents x from -60 to 60
constexpr int least_exponent = -16500;  // below all that a long double has, and its greatest is no farther from 0

// Sign and exponent in one code, or in three if the exponent is far from 0; then six bits of the mantissa a code, each with
// the mark that more bits follow, which are not all 0.
void put_value(long double value, general_number& number) {
  key_output<general_number> const put(number, std::signbit(value));
  if (value == 0) return number.put(zero);
  if (std::isinf(value)) return put(infinite);
  int exponent = 0;
  long double rest = std::frexp(std::fabs(value), &exponent);
  if (exponent >= -nearest && exponent <= nearest) {
    put(unsigned(int{near_one} + exponent));
  } else {
    put(exponent < 0 ? small : large);
    unsigned const above = unsigned(exponent - least_exponent);
    put(1 + above / 200);
    put(1 + above % 200);
  }
  while (rest != 0) {
    rest *= 64;
    unsigned const bits = unsigned(rest);
    rest -= bits;
    put(1 + 2 * bits + (rest != 0));
  }
}

void put_nan(long double value, general_number& number) {
  constexpr std::size_t size = std::numeric_limits<long double>::digits == 64 ? 10 : sizeof value;  // without padding
  unsigned char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  number.put(nan);
  for (std::size_t i = 0; i < size; ++i) {
    number.put(1 + bytes[i] / 16);
    number.put(1 + bytes[i] % 16);
  }
}

general_number read(char const* text) {
  static locale_t const c_locale = newlocale(LC_ALL_MASK, "C", locale_t{});
  general_number number;
  char* end = nullptr;
  long double const value = strtold_l(text, &end, c_locale);
  if (end == text)
    number.put(no_number);
  else if (std::isnan(value))
    put_nan(value, number);
  else
    put_value(value, number);
  return number;
}

}  // namespace

general_number read_general_number(compiled_key const& by, text_piece const& of) {
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
  return read(text);
}

}  // namespace ordo::strings::detail
