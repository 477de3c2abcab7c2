#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/bits.hpp"
#include "base/count_bytes.hpp"
#include "base/find_bytes.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"
#include "sort_core/algorithms/functors.hpp"

namespace ordo::inline v0::strings::detail {

/// A text as numbers of eight symbols of a line. A line does not contain its delimiter, so there are 256 symbols with the end
/// of the line, and eight of them fit 64 bits: the end is 0, bytes below the delimiter are one greater, other bytes are
/// unchanged. All symbols after the end are 0. So numbers compare as lines do, NUL differs from the end, and the lowest byte
/// is 0 if and only if the line has ended.
class symbols {
 public:
  /// The end of the text ends a line, as a delimiter does. @param delimiter  below 0x80
  symbols(unsigned char const* text, std::size_t size, unsigned char delimiter)
      : text_(text), size_(size), at_least_(every_byte * (0x80u - delimiter)), above_(every_byte * (0x7fu - delimiter)) {}

  /// Returns the eight symbols from position p in [0, size()] on.
  ORDO_FN std::uint64_t operator()(std::size_t p) const {
    std::size_t const left = size_ - p;
    if (left >= 8) [[likely]]  // or else clang does not inline this function
      return encode(load_big_endian(text_ + p, 8));
    if (left == 0) return 0;
    return encode(load_big_endian(text_ + p, left)) & ~(~std::uint64_t{0} >> (8 * left));
  }
  /// Returns the same without a branch that depends on symbols: faster for short lines in memory that is cached. CPU only.
  [[nodiscard]] std::uint64_t of_any_line(std::size_t p) const {
    if (size_ - p < 8) return (*this)(p);
    std::uint64_t word = 0;
    std::memcpy(&word, text_ + p, 8);  // the first symbol is the lowest
    std::uint64_t const at_least = carries(word, at_least_), ends = (at_least ^ carries(word, above_)) >> 7;
    word += (at_least ^ top_bits) >> 7;
    return __builtin_bswap64(word & (ends - 1) & ~ends);  // the symbols below the lowest end
  }
  ORDO_FN static bool end_in(std::uint64_t eight) { return (eight & 0xff) == 0; }

  /// Returns the highest bit of every delimiter among the eight bytes from p on; the first byte is the highest.
  ORDO_FN std::uint64_t delimiters(std::size_t p) const {
    std::size_t const left = size_ - p;
    if (left >= 8) return delimiters_in(load_big_endian(text_ + p, 8));
    return delimiters_in(load_big_endian(text_ + p, left)) & ~(~std::uint64_t{0} >> (8 * left));
  }

  ORDO_FN static unsigned count_marks(std::uint64_t marks) { return unsigned((marks >> 7) * every_byte >> 56); }

  /// Prefetches about fifty symbols from p on.
  ORDO_FN void prefetch(std::size_t p) const {
    ordo::prefetch(text_ + p);
    ordo::prefetch(text_ + p + 48);
  }
  [[nodiscard]] ORDO_FN std::size_t size() const { return size_; }
  [[nodiscard]] ORDO_FN unsigned char const* data() const { return text_; }
  [[nodiscard]] ORDO_FN unsigned char delimiter() const { return static_cast<unsigned char>(0x80 - (at_least_ & 0xff)); }

 private:
  static constexpr std::uint64_t every_byte = 0x0101010101010101, top_bits = 0x8080808080808080;

  // Returns the highest bit of every byte b for which (b & 0x7f) + limit carries to it, or which has it. No byte overflows.
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
  // Summands with which the low bits of a byte carry if it is at least the delimiter, or above it.
  std::uint64_t at_least_, above_;
};

// The starts of lines, by blocks. One thread reads a block, first to count the delimiters, then to write the starts.

constexpr std::size_t text_block = 256;  // bytes, a multiple of 8

/// Prefetches a block that is read soon: a processor that prefetches by itself stops at the end of each page.
inline void prefetch_ahead(unsigned char const* block) {
  constexpr std::size_t distance = 8 * text_block, cache_line = 64;
  for (std::size_t i = 0; i < text_block; i += cache_line) prefetch(block + distance + i);
}

template <Backend B, class Offset>
void count_by_blocks(B& backend, symbols text, std::span<Offset> counts) {
  std::size_t const n = text.size();
  auto* const c = counts.data();
  backend.each(counts.size(), [=] ORDO_FN(std::size_t b) {
    std::size_t const end = std::min((b + 1) * text_block, n);
    unsigned count = 0;
    for (std::size_t p = b * text_block; p < end; p += 8) count += symbols::count_marks(text.delimiters(p));
    c[b] = Offset(count);
  });
}

/// Counts as above, with a thread that reads a block as fast as it can by itself.
template <has_workers B, class Offset>
void count_blocks_of_bytes(B& backend, symbols text, std::span<Offset> counts) {
  backend.each(counts.size(), [=](std::size_t b) {
    std::size_t const begin = b * text_block;
    prefetch_ahead(text.data() + begin);
    std::string_view const block(reinterpret_cast<char const*>(text.data()) + begin, std::min(text_block, text.size() - begin));
    counts[b] = Offset(count_bytes(block, char(text.delimiter())));
  });
}

/// Returns for every block of the text the number of delimiters up to its end.
template <class Offset, Backend B>
buffer<Offset> count_delimiters(B& backend, symbols text) {
  auto counts = backend.template buffer<Offset>((text.size() + text_block - 1) / text_block);
  if constexpr (has_workers<B>)
    count_blocks_of_bytes(backend, text, counts.span());
  else
    count_by_blocks(backend, text, counts.span());
  auto* const c = counts.data();
  backend.scan(
      counts.size(), [=] ORDO_FN(std::size_t b) { return c[b]; }, counts.span(), plus{});
  return counts;
}

template <Backend B, class Offset>
void starts_by_blocks(B& backend, symbols text, std::span<Offset const> counts, std::span<Offset> starts) {
  std::size_t const n = text.size();
  auto const* const c = counts.data();
  auto* const s = starts.data();
  backend.each(counts.size(), [=] ORDO_FN(std::size_t b) {
    std::size_t const end = std::min((b + 1) * text_block, n);
    Offset line = b == 0 ? Offset{0} : c[b - 1];
    if (b == 0) s[0] = 0;
    for (std::size_t p = b * text_block; p < end; p += 8) {
      for (std::uint64_t result = text.delimiters(p); result != 0;) {
        unsigned const zeros = leading_zeros(result);
        std::size_t const next = p + zeros / 8 + 1;
        result &= ~(std::uint64_t{1} << (63 - zeros));
        ++line;
        if (next < n) s[line] = Offset(next);
      }
    }
  });
}

/// Calls f(line, start) for every line, in no order. A thread reads a block as fast as it can by itself.
template <has_workers B, class Offset, class F>
void each_start(B& backend, symbols text, std::span<Offset const> counts, F f) {
  std::size_t const n = text.size();
  backend.each(counts.size(), [=](std::size_t b) {
    std::size_t const begin = b * text_block;
    prefetch_ahead(text.data() + begin);
    Offset line = b == 0 ? Offset{0} : counts[b - 1];
    if (b == 0) f(std::size_t{0}, std::size_t{0});
    if (counts[b] == line) return;  // a block inside a long line
    each_equal_byte(text.data() + begin, std::min(text_block, n - begin), text.delimiter(), [&](std::size_t i) {
      ++line;
      if (begin + i + 1 < n) f(std::size_t(line), begin + i + 1);
    });
  });
}

/// Writes the start of every line, in order. `starts` has an entry for each delimiter, and one more if bytes follow the last
/// one.
template <Backend B, class Offset>
void write_starts(B& backend, symbols text, std::span<Offset const> counts, std::span<Offset> starts) {
  if constexpr (has_workers<B>)
    each_start(backend, text, counts, [s = starts.data()](std::size_t line, std::size_t start) { s[line] = Offset(start); });
  else
    starts_by_blocks(backend, text, counts, starts);
}

}  // namespace ordo::inline v0::strings::detail
