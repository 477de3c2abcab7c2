#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"

namespace ordo::strings::detail {

/// A text as the sort reads it: eight symbols of a line at a time, packed into a number. A line cannot hold its delimiter,
/// so that there are 256 symbols in all, the line's end among them, and eight fit 64 bits without loss: the end is 0, bytes
/// below the delimiter are moved up by one, the others are themselves. What follows the end is 0 too. Numbers therefore
/// compare as the lines do, a NUL is told apart from an end, and the lowest byte is 0 if and only if the line ends inside.
class symbols {
 public:
  /// The end of the text ends a line, like a delimiter. `delimiter` is below 0x80.
  symbols(unsigned char const* text, std::size_t size, unsigned char delimiter)
      : text_(text), size_(size), at_least_(every_byte * (0x80u - delimiter)), above_(every_byte * (0x7fu - delimiter)) {}

  /// The eight symbols from position p in [0, size()] on.
  ORDO_FN std::uint64_t operator()(std::size_t p) const {
    std::size_t const left = size_ - p;
    if (left >= 8) return encode(load_big_endian(text_ + p, 8));
    if (left == 0) return 0;
    return encode(load_big_endian(text_ + p, left)) & ~(~std::uint64_t{0} >> (8 * left));
  }
  ORDO_FN static bool end_in(std::uint64_t eight) { return (eight & 0xff) == 0; }

  /// The uppermost bit of every delimiter among the eight bytes from p on, the first byte the highest.
  ORDO_FN std::uint64_t delimiters(std::size_t p) const {
    std::size_t const left = size_ - p;
    if (left >= 8) return delimiters_in(load_big_endian(text_ + p, 8));
    return delimiters_in(load_big_endian(text_ + p, left)) & ~(~std::uint64_t{0} >> (8 * left));
  }

  ORDO_FN static unsigned count_of(std::uint64_t marks) { return unsigned((marks >> 7) * every_byte >> 56); }

  /// The next half a hundred symbols from p on will be wanted.
  ORDO_FN void prefetch(std::size_t p) const {
    ordo::prefetch(text_ + p);
    ordo::prefetch(text_ + p + 48);
  }
  [[nodiscard]] ORDO_FN std::size_t size() const { return size_; }
  [[nodiscard]] ORDO_FN unsigned char const* data() const { return text_; }
  [[nodiscard]] ORDO_FN unsigned char delimiter() const { return static_cast<unsigned char>(0x80 - (at_least_ & 0xff)); }

 private:
  static constexpr std::uint64_t every_byte = 0x0101010101010101, top_bits = 0x8080808080808080;

  // The uppermost bit of every byte b for which (b & 0x7f) + limit carries to it, or which has it: no byte overflows.
  ORDO_FN static std::uint64_t carries(std::uint64_t word, std::uint64_t limit) {
    return (((word & ~top_bits) + limit) | word) & top_bits;
  }
  ORDO_FN std::uint64_t delimiters_in(std::uint64_t word) const { return carries(word, at_least_) ^ carries(word, above_); }
  ORDO_FN std::uint64_t encode(std::uint64_t word) const {
    std::uint64_t const above = carries(word, above_);
    if (above == top_bits) return word;
    std::uint64_t const at_least = carries(word, at_least_);
    word += (at_least ^ top_bits) >> 7;
    std::uint64_t const ends = at_least ^ above;
    return ends == 0 ? word : word & ~(~std::uint64_t{0} >> leading_zeros(ends));
  }

  unsigned char const* text_;
  std::size_t size_;
  std::uint64_t at_least_, above_;  // what makes a byte's lower bits carry if it is not below, or above the delimiter
};

}  // namespace ordo::strings::detail
