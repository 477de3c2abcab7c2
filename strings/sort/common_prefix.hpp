#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"
#include "strings/keys/symbols.hpp"

namespace ordo::strings::detail {

/// How many leading symbols neighbouring lines, or all lines of a group, have in common. A scan carries such a number and a
/// mark in one Offset.
template <class Offset>
struct agreement {
  static constexpr Offset identical = std::numeric_limits<Offset>::max() >> 1;  // to the end of both lines

  /// The symbols that the lines have in common from p and q on: all of them, or as many as were looked at, which is `most`
  /// or a little more; or identical.
  ORDO_FN static Offset of(symbols text, std::size_t p, std::size_t q, std::size_t most) {
    for (std::size_t o = 0;; o += 8) {
      std::uint64_t const a = text(p + o), b = text(q + o);
      if (a != b) return Offset(o + leading_zeros(a ^ b) / 8);
      if (symbols::end_in(a)) return identical;
      if (o + 8 >= most) return Offset(o + 8);
    }
  }

  ORDO_FN static Offset marked(Offset value, bool mark) { return Offset(value << 1) | Offset(mark); }
  ORDO_FN static Offset value(Offset x) { return x >> 1; }

  /// The least value since the last mark.
  struct least {
    ORDO_FN Offset operator()(Offset a, Offset b) const {
      if (b & 1) return b;
      return marked(value(a) < value(b) ? value(a) : value(b), a & 1);
    }
  };
  /// The last marked value.
  struct latest {
    ORDO_FN Offset operator()(Offset a, Offset b) const { return (b & 1) ? b : a; }
  };
};

}  // namespace ordo::strings::detail
