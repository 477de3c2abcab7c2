#pragma once
#include <cstdint>

#include "ordo/detail/fn.hpp"

// Letters of an alphabet of five, as nucleotides and N are: three of them are one of 125 numbers, and take seven bits, not
// nine. So a key of 64 bits has 25 of them, not 19, and its bits are used evenly. Packed texts keep three bits a letter, since
// a key can begin at any of them.
namespace ordo::suffix::detail {

namespace dense {

constexpr unsigned alphabet = 5, letter_bits = 3, group = 3, group_bits = 7;
constexpr unsigned in_word = 21;  // letters of a text in 63 bits
constexpr unsigned most = 25;     // in a key, besides its length

/// Bits of so many letters: whole groups, or one letter more.
constexpr unsigned bits(unsigned letters) {
  return letters / group * group_bits + letters % group * letter_bits;
}
/// Are keys of so many letters made?
constexpr bool possible(unsigned letters) {
  return letters <= most && (letters % group == 0 || (letters % group == 1 && (letters < in_word || letters == most)));
}

/// 21 letters of three bits, in seven groups of seven bits.
ORDO_FN constexpr std::uint64_t from_word(std::uint64_t x) {
  constexpr std::uint64_t each = 0x1c0e070381c0e07;  // the last letter of each group
  x = (x >> 6 & each) * 25 + (x >> 3 & each) * 5 + (x & each);
  // Two bits of nine are free now: groups move together, by twos, fours and all.
  constexpr std::uint64_t one = 0x7f, two = 0x3fff, four = 0xfffffff;
  x = (x & (one | one << 18 | one << 36 | one << 54)) | (x & (one << 9 | one << 27 | one << 45)) >> 2;
  x = (x & (two | two << 36)) | (x & (two << 18 | two << 54)) >> 4;
  return (x & four) | (x & four << 36) >> 8;
}

/// The first letter of three.
ORDO_FN constexpr unsigned first_of_group(unsigned number) {
  return number / 25;
}

/// Of a key's letters, `letters` of them, or any number of as many bits: the greatest letters that make no greater key, three
/// bits each, the first one highest, as many as a word has.
constexpr std::uint64_t window_of(std::uint64_t key, unsigned letters) {
  std::uint64_t window = 0;
  bool is_above = false;  // what no letters make: all that follow are the last letter
  unsigned at = 64;
  for (unsigned left = bits(letters); left != 0 && at > letter_bits;) {
    bool const whole = left >= group_bits;
    unsigned const taken = whole ? group_bits : letter_bits, greatest = whole ? 124 : alphabet - 1;
    left -= taken;
    unsigned number = unsigned(key >> left & ((1u << taken) - 1));
    is_above |= number > greatest;
    if (is_above) number = greatest;
    unsigned const width = (whole ? group : 1) * letter_bits;
    at -= width;
    window |= std::uint64_t(whole ? number / 25 << 6 | number / 5 % 5 << 3 | number % 5 : number) << at;
  }
  return window;
}

/// Each letter of a key of so many is 1.
constexpr std::uint64_t ones(unsigned letters) {
  std::uint64_t all = 0;
  for (unsigned k = 0; k < letters / group; ++k) all = all << group_bits | 31;
  return letters % group == 0 ? all : all << letter_bits | 1;
}

/// How many of a group's letters two numbers of three letters have in common, from the first on.
ORDO_FN constexpr unsigned common_of_group(unsigned a, unsigned b) {
  return a / 25 != b / 25 ? 0 : a / 5 != b / 5 ? 1 : a != b ? 2 : 3;
}

}  // namespace dense

}  // namespace ordo::suffix::detail
