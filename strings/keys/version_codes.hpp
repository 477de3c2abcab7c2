#pragma once
#include <cstddef>

#include "strings/keys/key_codes.hpp"

// Names with versions as codes, in the order of GNU's filevercmp. Bytes and numbers alternate and are compared one after the
// other; '~' comes before the end, the end before numbers, numbers before letters, letters before other bytes. First come "",
// "." and "..", then hidden names, then the others. The suffix of a file's name, the longest match of
// (\.[A-Za-z~][A-Za-z0-9~]*)*$, counts only if the names before it are equal. It is never the whole name, except in coreutils
// 9.1.
//
// A name that ends where the other name has the number 0 compares as if it had that number, too. So zeros at the end have no
// codes, and zeros before '~', which comes before the end, have a code below that of the end.
namespace ordo::inline v0::strings::detail {

struct version_code {
  static constexpr unsigned empty = 1, dot = 2, two_dots = 3, hidden = 4;  // for whole names, or before them
  static constexpr unsigned tilde = 5, zero_and_tilde = 6, end = 7, zero = 8;
  static constexpr unsigned one_digit = 8;     // + the digit, from 1 on
  static constexpr unsigned digits = 16;       // + the number of digits, 2 to 18; the digits follow in pairs
  static constexpr unsigned many_digits = 35;  // followed by the number of digits, and the digits
  static constexpr unsigned letters = 36;      // from 'A' on, then from 'a' on
  static constexpr unsigned others = 88;
};

ORDO_FN inline bool is_version_letter(unsigned byte) {
  return (byte | 32) - 'a' < 26 || byte == '~';
}

/// Returns where the suffix of a name begins: its end if it has none, its beginning if all of it is the suffix.
template <class Piece>
ORDO_FN unsigned char const* find_suffix(Piece name) {
  enum { outside, behind_dot, inside } state = outside;
  Piece found = name;
  for (; *name != Piece::end; ++name) {
    unsigned const byte = *name;
    if (byte == '.') {
      if (state != inside) found = name;
      state = behind_dot;
    } else if (state != outside && !(is_version_letter(byte) || (state == inside && is_digit(byte)))) {
      state = outside;
    } else if (state == behind_dot) {
      state = inside;
    }
  }
  return state == inside ? found.at() : name.at();
}

/// Writes the number at `digits`, which has `count` digits and is not 0.
template <class Piece, class Out>
ORDO_FN void write_version_number(Piece digits, std::size_t count, key_output<Out> put) {
  if (count == 1) return put(version_code::one_digit + (*digits - '0'));
  if (count <= 18) {
    put(version_code::digits + unsigned(count));
  } else {
    unsigned const digits_of_count = size_digits(count);
    put(version_code::many_digits);
    put(digits_of_count);
    write_size(count, digits_of_count, put);
  }
  for (; count != 0; count -= count == 1 ? 1 : 2) {
    unsigned pair = 10 * (*digits - '0');
    ++digits;
    if (count > 1) {
      pair += *digits - '0';
      ++digits;
    }
    put(1 + pair);
  }
}

/// Writes the bytes and numbers up to the end. Returns where the zeros at the end begin, or the end.
template <class Piece, class Out>
ORDO_FN unsigned char const* write_version_parts(Piece name, key_rules const& rules, key_output<Out> put) {
  while (true) {
    unsigned const byte = *name;
    if (byte == Piece::end) return name.at();
    if (!is_digit(byte)) {
      unsigned const code = rules.version[byte];
      put(code & 255);
      if (code > 255) put(code >> 8);
      ++name;
      continue;
    }
    unsigned char const* const begin = name.at();
    while (*name == '0') ++name;
    Piece const digits = name;
    std::size_t count = 0;
    for (; is_digit(*name); ++name) ++count;
    if (count != 0) {
      write_version_number(digits, count, put);
    } else if (*name == Piece::end) {
      return begin;
    } else if (*name == '~') {
      put(version_code::zero_and_tilde);
      ++name;
    } else {
      put(version_code::zero);
    }
  }
}

template <class Piece, class Out>
ORDO_FN void write_version(Piece name, key_rules const& rules, key_output<Out> put) {
  if (*name == Piece::end) return put(version_code::empty);
  if (*name == '.') {
    Piece next = name;
    ++next;
    if (*next == Piece::end) return put(version_code::dot);
    bool const two = *next == '.';
    ++next;
    if (two && *next == Piece::end) return put(version_code::two_dots);
    put(version_code::hidden);
  }
  Piece prefix = name, rest = name, begin = name;
  if (!rules.as_9_1) ++begin;
  prefix.end_at(find_suffix(begin));
  // The whole names are compared next; those before the suffixes are equal then, except for zeros at their ends.
  rest.begin_at(write_version_parts(prefix, rules, put));
  put(version_code::end);
  write_version_parts(rest, rules, put);
  put(version_code::end);
}

}  // namespace ordo::inline v0::strings::detail
