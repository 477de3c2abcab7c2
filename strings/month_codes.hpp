#pragma once
#include "strings/code_output.hpp"
#include "strings/key_codes.hpp"

namespace ordo::strings::detail {

/// Blanks, then the name of a month and anything: one code. What is no month comes first.
template <class Piece, class Out>
ORDO_FN void put_month(Piece piece, key_rules const& rules, key_output<Out> put) {
  skip_blanks(piece, rules);
  for (unsigned month = 0; month < 12; ++month) {
    unsigned char const* name = rules.month[month];
    for (Piece at = piece; *name != 0 && *at != Piece::end && rules.upper[*at] == *name; ++at) ++name;
    if (*name == 0) return put(2 + month);
  }
  put(1);
}

}  // namespace ordo::strings::detail
