#include "base/parse_bytes.hpp"

#include <fmt/format.h>

#include "ordo/error.hpp"

namespace ordo::inline v0 {

std::size_t parse_bytes(std::string_view text) {
  std::size_t value = 0, digits = 0;
  bool fits = true;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits)
    fits = fits && !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, text[digits] - '0', &value);
  std::string_view const suffix = text.substr(digits);
  unsigned shift = 0;
  if (suffix == "K" || suffix == "k")
    shift = 10;
  else if (suffix == "M")
    shift = 20;
  else if (suffix == "G")
    shift = 30;
  else if (suffix == "T")
    shift = 40;
  else if (!suffix.empty())
    digits = 0;
  if (digits == 0 || !fits || (value << shift) >> shift != value)
    throw usage_error(fmt::format("bad size: {}: expected a number of bytes, with K, M, G or T for powers of 1024", text));
  return value << shift;
}

}  // namespace ordo::inline v0
