#pragma once
#include <cstddef>

#include "strings/key_codes.hpp"

// Numbers, months, and numbers with units as codes. Equal values have equal codes: 1, 01 and 1.00.
namespace ordo::strings::detail {

/// A number as it stands in a piece: where it begins and which of its digits count.
template <class Piece>
struct found_number {
  Piece first;                  // digit that is not 0 of the integer part, or the decimal point, or behind all
  bool negative = false;
  std::size_t integers = 0;     // digits before the decimal point, from the first that is not 0 on
  std::size_t significant = 0;  // all digits from there, or from the point, to the last that is not 0; none: the value is 0
  Piece behind;                 // the number
};

/// Blanks, '-', digits with separators of thousands among them, a decimal point, digits: any part may be missing.
template <class Piece>
ORDO_FN found_number<Piece> find_number(Piece piece, key_rules const& rules) {
  unsigned const thousands = rules.thousands_separator == 256 ? '0' : rules.thousands_separator;
  skip_blanks(piece, rules);
  bool const negative = *piece == '-';
  if (negative) ++piece;
  while (*piece == '0' || *piece == thousands) ++piece;
  found_number<Piece> n{piece, negative, 0, 0, piece};
  for (;; ++piece) {
    unsigned const byte = *piece;
    if (is_digit(byte)) {
      ++n.integers;
      if (byte != '0') n.significant = n.integers;
    } else if (byte != thousands)
      break;
  }
  if (*piece == rules.decimal_point) {
    ++piece;
    for (std::size_t digits = n.integers; is_digit(*piece); ++piece) {
      ++digits;
      if (*piece != '0') n.significant = digits;
    }
  }
  n.behind = piece;
  return n;
}

/// Sign and count of the integer part's digits in one code, or a few for more than 120; then two digits a code, each with
/// the mark that more digits follow, which are not all 0. All of a negative number's codes are negated.
template <class Piece, class Put>
ORDO_FN void put_number(found_number<Piece> const& n, Put put) {
  constexpr unsigned zero = 128, most = 120;
  if (n.significant == 0) return put(zero);
  unsigned const flip = n.negative ? ~0u : 0u;
  auto const put_signed = [&](unsigned code) { put(((code ^ flip) - flip) & 255); };
  if (n.integers <= most) {
    put_signed(zero + 1 + unsigned(n.integers));
  } else {
    std::size_t const more = n.integers - most - 1;
    std::size_t unit = 1;
    unsigned digits = 1;
    for (; more / unit >= 255 && digits < 6; unit *= 255) ++digits;
    put_signed(zero + 1 + most + digits);
    for (; digits != 0; --digits, unit /= 255) put_signed(1 + unsigned(more / unit % 255));
  }
  Piece piece = n.first;
  for (std::size_t i = 0; i < n.significant; i += 2) {
    unsigned pair[2] = {0, 0};
    for (std::size_t k = 0; k < 2 && i + k < n.significant; ++k) {
      while (!is_digit(*piece)) ++piece;  // separators and the decimal point
      pair[k] = *piece - '0';
      ++piece;
    }
    put_signed(1 + 2 * (10 * pair[0] + pair[1]) + (i + 2 < n.significant));
  }
}

/// Sign and unit, then the number. Zero has no unit, and neither has a number behind which no letter of a unit stands.
template <class Piece, class Put>
ORDO_FN void put_human_number(Piece piece, key_rules const& rules, Put put) {
  auto const n = find_number(piece, rules);
  unsigned const behind = *n.behind;
  unsigned const unit = n.significant == 0 || behind == Piece::end ? 0 : rules.unit[behind];
  put(n.negative ? 128 - unit : 128 + unit);
  put_number(n, put);
}

/// Blanks, then the name of a month and anything. What is no month comes first.
template <class Piece, class Put>
ORDO_FN void put_month(Piece piece, key_rules const& rules, Put put) {
  skip_blanks(piece, rules);
  for (unsigned month = 0; month < 12; ++month) {
    unsigned char const* name = rules.month[month];
    for (Piece at = piece; *name != 0 && *at != Piece::end && rules.upper[*at] == *name; ++at) ++name;
    if (*name == 0) return put(2 + month);
  }
  put(1);
}

}  // namespace ordo::strings::detail
