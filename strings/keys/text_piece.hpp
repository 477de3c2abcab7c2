#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"

namespace ordo::strings::detail {

/// Bytes [first, last) of a text that can be read up to `limit`.
struct text_piece {
  unsigned char const* first;
  unsigned char const* last;
  unsigned char const* limit;
};

}  // namespace ordo::strings::detail

// Eight bytes at a time, in a number, the first byte the highest. Tests set the uppermost bit of each byte for which they hold.
namespace ordo::strings::detail::words {

constexpr std::uint64_t every_byte = 0x0101010101010101, top_bits = 0x8080808080808080;

/// Shifts by any number of bytes up to 8.
ORDO_FN inline std::uint64_t left(std::uint64_t word, std::size_t bytes) {
  return word << (4 * bytes) << (4 * bytes);
}
ORDO_FN inline std::uint64_t right(std::uint64_t word, std::size_t bytes) {
  return word >> (4 * bytes) >> (4 * bytes);
}
/// The first `bytes` of a word, up to 8; 0 behind them.
ORDO_FN inline std::uint64_t first(std::uint64_t word, std::size_t bytes) {
  return word & ~right(~std::uint64_t{0}, bytes);
}

/// The eight bytes from p in [first, last] on. What is behind the last is anything.
ORDO_FN inline std::uint64_t at(unsigned char const* p, text_piece const& of) {
  if (of.limit - p >= 8) return load_big_endian(p, 8);
  return of.last == p ? 0 : load_big_endian(p, std::size_t(of.last - p));
}

/// The same; what is behind the last is 0.
ORDO_FN inline std::uint64_t ended_at(unsigned char const* p, text_piece const& of) {
  std::size_t const bytes = std::size_t(of.last - p);
  return first(at(p, of), bytes < 8 ? bytes : 8);
}

ORDO_FN inline std::uint64_t equal(std::uint64_t word, unsigned byte) {
  word ^= every_byte * byte;
  return ~(((word & ~top_bits) + ~top_bits) | word) & top_bits;
}

/// @param least  0 to 128
ORDO_FN inline std::uint64_t at_least(std::uint64_t word, unsigned least) {
  return (((word & ~top_bits) + every_byte * (128 - least)) | word) & top_bits;
}

/// @param least  128 to 255
ORDO_FN inline std::uint64_t at_least_high(std::uint64_t word, unsigned least) {
  return ((word & ~top_bits) + every_byte * (256 - least)) & word & top_bits;
}

ORDO_FN inline unsigned count_of(std::uint64_t marks) {
  return unsigned((marks >> 7) * every_byte >> 56);
}

}  // namespace ordo::strings::detail::words
