#pragma once
#include <cstdint>

#include "sort_core/fn.hpp"

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
  return letters <= most && (letters % group == 0 || letters == most);
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
