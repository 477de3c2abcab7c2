#pragma once
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "strings/keys/key_codes.hpp"

// Numbers, and numbers with units, as codes. Equal values have equal codes: 1, 01 and 1.00.
//
// The first code is the sign with the count of the integer part's digits; if the count is above 120, it follows. Each further
// code is two digits and a bit that is set if more digits follow that are not all 0. The codes of a negative number are
// negated.
namespace ordo::inline v0::strings::detail {

struct number_code {
  static constexpr unsigned zero = 128, integers = 129, max_integers = 120;
  ORDO_FN static unsigned of(unsigned first_digit, unsigned second_digit, bool more) {
    return 1 + 2 * (10 * first_digit + second_digit) + more;
  }
};

/// Writes the sign and the count of digits.
template <class Out>
ORDO_FN void write_integers(std::size_t integers, key_output<Out> put) {
  if (integers <= number_code::max_integers) return put(number_code::integers + unsigned(integers));
  std::size_t const more = integers - number_code::max_integers - 1;
  unsigned const digits = size_digits(more);
  put(number_code::integers + number_code::max_integers + (digits < 6 ? digits : 6));
  write_size(more, digits, put);
}

/// A number in a piece: blanks, '-', digits with separators of thousands, a decimal point, digits. Any part may be missing.
template <class Piece>
struct long_number {
  Piece first;  // at the first digit of the integer part that is not 0, or after the integer part
  bool negative = false;
  std::size_t integers = 0;     // digits of the integer part from there
  std::size_t significant = 0;  // digits from there, or from after the point, to the last that is not 0; 0 if the value is 0
  bool plain = true;            // each separator is between two digits; otherwise GNU sort ignores a unit
  Piece after;

  ORDO_FN long_number(Piece piece, key_rules const& rules) : first(piece), after(piece) {
    unsigned const thousands = rules.thousands_separator == 256 ? '0' : rules.thousands_separator;
    skip_blanks(piece, rules);
    negative = *piece == '-';
    if (negative) ++piece;
    bool between = false;  // the byte before is a digit
    for (; *piece == '0' || *piece == thousands; ++piece) note_separator(*piece, between);
    first = piece;
    for (;; ++piece) {
      unsigned const byte = *piece;
      if (is_digit(byte)) {
        ++integers;
        if (byte != '0') significant = integers;
      } else if (byte != thousands) {
        break;
      }
      note_separator(byte, between);
    }
    plain &= between || integers == 0;
    if (*piece == rules.decimal_point) {
      ++piece;
      for (std::size_t digits = integers; is_digit(*piece); ++piece) {
        ++digits;
        if (*piece != '0') significant = digits;
      }
    }
    after = piece;
  }

  template <class Out>
  ORDO_FN void write_codes(key_output<Out> put) const {
    if (significant == 0) return put(number_code::zero);
    put = put.reversed(negative);
    write_integers(integers, put);
    Piece piece = first;
    for (std::size_t i = 0; i < significant; i += 2) {
      unsigned pair[2] = {0, 0};
      for (std::size_t k = 0; k < 2 && i + k < significant; ++k) {
        while (!is_digit(*piece)) ++piece;  // separators and the decimal point
        pair[k] = *piece - '0';
        ++piece;
      }
      put(number_code::of(pair[0], pair[1], i + 2 < significant));
    }
  }
  [[nodiscard]] ORDO_FN unsigned byte_behind() const { return plain ? *after : Piece::end; }

 private:
  ORDO_FN void note_separator(unsigned byte, bool& between) {
    plain &= is_digit(byte) || between;
    between = is_digit(byte);
  }
};

/// A number of up to 15 digits that the key reads unchanged, without separators of thousands: eight digits at a time.
class short_number {
 public:
  bool negative;
  std::size_t significant = 0;

  ORDO_FN short_number(text_piece const& of, key_rules const& rules) : last_(of.last) {
    unsigned char const* p = of.first;
    while (p != of.last && rules.blank[*p]) ++p;
    negative = p != of.last && *p == '-';
    if (negative) ++p;
    run const first = digits_at(p, of), second = first.count == 8 ? digits_at(p + 8, of) : run{0, 0};
    behind_ = p + first.count + second.count;
    integers_ = first.count + second.count;
    std::size_t const zeros = leading_zeros(first.digits) / 8;
    found_ = integers_ < 16 && (zeros < 8 || integers_ < 8) && (behind_ == of.last || *behind_ != rules.thousands_separator);
    if (!found_) return;
    std::size_t const passed = zeros < integers_ ? zeros : integers_;
    integers_ -= passed;
    high_ = words::left(first.digits, passed) | words::right(second.digits, 8 - passed);
    low_ = words::left(second.digits, passed);
    if (behind_ != of.last && *behind_ == rules.decimal_point) {
      run const part = digits_at(++behind_, of);
      behind_ += part.count;
      found_ = part.count < 8 && integers_ + part.count <= 16;
      if (integers_ < 8) {
        high_ |= words::right(part.digits, integers_);
        low_ |= words::left(part.digits, 8 - integers_);
      } else {
        low_ |= words::right(part.digits, integers_ - 8);
      }
    }
    if (low_ != 0)
      significant = 16 - trailing_zeros(low_) / 8;
    else if (high_ != 0)
      significant = 8 - trailing_zeros(high_) / 8;
  }

  /// Returns true if the other members are valid.
  [[nodiscard]] ORDO_FN bool found() const { return found_; }

  template <class Out>
  ORDO_FN void write_codes(key_output<Out> put) const {
    if (significant == 0) return put(number_code::zero);
    put = put.reversed(negative);
    put(number_code::integers + unsigned(integers_));
    std::size_t const codes = (significant + 1) / 2;
    // All codes have the bit that more follow, and the last one is corrected.
    put.word((pairs(high_) << 32 | pairs(low_)) * 2 + 2 * words::every_byte - (std::uint64_t{1} << (64 - 8 * codes)), codes);
  }
  [[nodiscard]] ORDO_FN unsigned byte_behind() const { return behind_ == last_ ? direct_piece::end : *behind_; }

 private:
  struct run {
    std::uint64_t digits;  // 0 to 9
    std::size_t count;
  };
  // Returns the digits from p on, at most eight, with 0 after them.
  ORDO_FN static run digits_at(unsigned char const* p, text_piece const& of) {
    std::uint64_t const word = words::ended_at(p, of) ^ words::every_byte * '0';
    std::uint64_t const others = words::at_least(word, 10);
    std::size_t const count = leading_zeros(others) / 8;
    return {words::first(word, count), count};
  }
  // Converts eight digits to four numbers below 100, a byte each.
  ORDO_FN static std::uint64_t pairs(std::uint64_t digits) {
    constexpr std::uint64_t low = 0x00ff00ff00ff00ff;
    std::uint64_t x = (digits >> 8 & low) * 10 + (digits & low);
    x = (x | x >> 8) & 0x0000ffff0000ffff;
    return (x | x >> 16) & 0x00000000ffffffff;
  }

  unsigned char const* last_;
  unsigned char const* behind_;
  std::uint64_t high_ = 0, low_ = 0;  // the significant digits: the first 8, the others
  std::size_t integers_;
  bool found_;
};

/// Writes the unit. Zero has none, nor has a number without a letter of a unit after it.
template <class Number, class Out>
ORDO_FN void write_number_codes(Number const& number, key_rules const& rules, bool with_unit, key_output<Out> put) {
  if (with_unit) {
    unsigned const after = number.byte_behind();
    unsigned const unit = number.significant == 0 || after == direct_piece::end ? 0 : rules.unit[after];
    put(number.negative ? 128 - unit : 128 + unit);
  }
  number.write_codes(put);
}

template <class Piece, class Out>
ORDO_FN void write_number_codes(compiled_key const& by, text_piece const& of, key_rules const& rules, bool with_unit,
                                key_output<Out> put) {
  if (by.direct)
    if (short_number const number(of, rules); number.found()) return write_number_codes(number, rules, with_unit, put);
  write_number_codes(long_number<Piece>(Piece(by, of), rules), rules, with_unit, put);
}

/// Writes one code for blanks, the name of a month and anything. A piece without a month comes first. Bisection finds the name,
/// as in GNU sort: in some locales a name is the beginning of another.
template <class Piece, class Out>
ORDO_FN void write_month(Piece piece, key_rules const& rules, key_output<Out> put) {
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

}  // namespace ordo::inline v0::strings::detail
