#pragma once
#include "strings/keys/code_output.hpp"
#include "strings/keys/key_codes.hpp"

namespace ordo::strings::detail {

/// Blanks, then the name of a month and anything: one code. What is no month comes first. By bisection, as GNU sort does it:
/// some locale's name of a month may be the beginning of another's.
template <class Piece, class Out>
ORDO_FN void put_month(Piece piece, key_rules const& rules, key_output<Out> put) {
  skip_blanks(piece, rules);
  for (unsigned low = 0, high = 12; low < high;) {
    unsigned const middle = (low + high) / 2;
    unsigned char const* name = rules.month[middle];
    Piece at = piece;
    unsigned byte = 0;
    for (;; ++name, ++at) {
      byte = *at == Piece::end ? 0 : rules.upper[*at];
      if (*name == 0) return put(1 + rules.month_number[middle]);
      if (byte != *name) break;
    }
    if (byte < *name)
      high = middle;
    else
      low = middle + 1;
  }
  put(1);
}

}  // namespace ordo::strings::detail
