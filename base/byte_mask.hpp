#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#include <emmintrin.h>
#endif

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"

// Tests of 64 bytes of text at a time. The result is a word whose bit i belongs to byte i. Works on both kinds of machine.
namespace ordo::inline v0 {

/// Returns a word with ones at the lowest `count` bits, up to 64.
ORDO_FN inline std::uint64_t low_bits(std::size_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

namespace detail {

ORDO_FN inline unsigned char folded(unsigned char c, unsigned char fold) {
  return static_cast<unsigned char>(c | 0x20) - unsigned{'a'} < 26 ? static_cast<unsigned char>(c & ~fold) : c;
}

/// Sixty-four bytes in general registers, eight to a word, the first one lowest.
class word_row {
 public:
  /// Loads 64 bytes from p, which is aligned to 8.
  ORDO_FN explicit word_row(unsigned char const* p) {
    for (unsigned k = 0; k < 8; ++k) words_[k] = load(p + 8 * k);
  }
  /// Loads the first `count` bytes, up to 64; the others are 0.
  ORDO_FN word_row(unsigned char const* p, std::size_t count) {
    for (unsigned k = 0; k < 8; ++k) {
      words_[k] = 0;
      if (8 * k + 8 <= count) {
        words_[k] = load(p + 8 * k);
      } else {
        for (std::size_t i = 8 * k; i < count; ++i) words_[k] |= std::uint64_t{p[i]} << (8 * (i - 8 * k));
      }
    }
  }

  /// Returns the mask of bytes that equal c, or of bytes above c, compared as unsigned numbers. c is below 0x80.
  ORDO_FN std::uint64_t equal_to(unsigned char c) const {
    return gathered([c](std::uint64_t word) { return at_least(word, c) ^ at_least(word, c + 1u); });
  }
  ORDO_FN std::uint64_t above(unsigned char c) const {
    return gathered([c](std::uint64_t word) { return at_least(word, c + 1u); });
  }
  /// Returns the mask of ASCII letters.
  ORDO_FN std::uint64_t letters() const {
    return gathered([](std::uint64_t word) {
      word |= every_byte * 0x20;
      return at_least(word, 'a') ^ at_least(word, 'z' + 1u);
    });
  }

 private:
  static constexpr std::uint64_t every_byte = 0x0101010101010101, top_bits = 0x8080808080808080;

  ORDO_FN static std::uint64_t load(unsigned char const* p) {
#if defined(__CUDA_ARCH__)
    return *reinterpret_cast<std::uint64_t const*>(p);
#else
    std::uint64_t word = 0;
    for (unsigned i = 0; i < 8; ++i) word |= std::uint64_t{p[i]} << (8 * i);  // compiles to one load on little-endian machines
    return word;
#endif
  }
  // Returns the top bit of each byte that is at least `limit`, 1 to 0x80.
  ORDO_FN static std::uint64_t at_least(std::uint64_t word, unsigned limit) {
    return (((word & ~top_bits) + every_byte * (0x80 - limit)) | word) & top_bits;
  }
  template <class Marks>
  ORDO_FN std::uint64_t gathered(Marks marks) const {
    std::uint64_t bits = 0;
    for (unsigned k = 0; k < 8; ++k) bits |= ((marks(words_[k]) >> 7) * 0x0102040810204080 >> 56) << (8 * k);
    return bits;
  }

  std::uint64_t words_[8];
};

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
/// Sixty-four bytes in vector registers.
class vector_row {
 public:
  explicit vector_row(unsigned char const* p) {
    for (unsigned k = 0; k < 4; ++k) parts_[k] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p + 16 * k));
  }
  vector_row(unsigned char const* p, std::size_t count) : vector_row(padded(p, count).bytes) {}

  [[nodiscard]] std::uint64_t equal_to(unsigned char c) const {
    __m128i const wanted = _mm_set1_epi8(static_cast<char>(c));
    return gathered([=](__m128i part) { return _mm_cmpeq_epi8(part, wanted); });
  }
  [[nodiscard]] std::uint64_t above(unsigned char c) const {
    __m128i const smallest = _mm_set1_epi8(static_cast<char>(c + 1));
    return gathered([=](__m128i part) { return _mm_cmpeq_epi8(_mm_max_epu8(part, smallest), part); });
  }
  [[nodiscard]] std::uint64_t letters() const { return gathered(letter_mask); }

  /// Copies 64 bytes. Letters become upper-case if `fold` is 0x20 and stay unchanged if it is 0.
  static void copy(unsigned char const* from, unsigned char* to, unsigned char fold) {
    for (unsigned k = 0; k < 4; ++k) copy_part(from + 16 * k, to + 16 * k, fold);
  }
  /// Copies `count` bytes, up to 64, in the same way. No byte after them is read or written.
  static void copy(unsigned char const* from, unsigned char* to, unsigned char fold, std::size_t count) {
    if (count < 16) {
      for (std::size_t i = 0; i < count; ++i) to[i] = folded(from[i], fold);
      return;
    }
    for (std::size_t at = 0; at + 16 < count; at += 16) copy_part(from + at, to + at, fold);
    copy_part(from + count - 16, to + count - 16, fold);
  }

 private:
  static void copy_part(unsigned char const* from, unsigned char* to, unsigned char fold) {
    __m128i const part = _mm_loadu_si128(reinterpret_cast<__m128i const*>(from));
    __m128i const bit = _mm_and_si128(letter_mask(part), _mm_set1_epi8(static_cast<char>(fold)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_andnot_si128(bit, part));
  }
  struct row_bytes {
    alignas(16) unsigned char bytes[64] = {};
  };
  static row_bytes padded(unsigned char const* p, std::size_t count) {
    row_bytes row;
    std::memcpy(row.bytes, p, count);
    return row;
  }
  static __m128i letter_mask(__m128i part) {
    __m128i const place = _mm_sub_epi8(_mm_or_si128(part, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    return _mm_cmpeq_epi8(_mm_min_epu8(place, _mm_set1_epi8('z' - 'a')), place);
  }
  template <class Marks>
  std::uint64_t gathered(Marks marks) const {
    std::uint64_t bits = 0;
    for (unsigned k = 0; k < 4; ++k) bits |= std::uint64_t(unsigned(_mm_movemask_epi8(marks(parts_[k])))) << (16 * k);
    return bits;
  }

  __m128i parts_[4];
};
#endif

}  // namespace detail

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
using byte_row = detail::vector_row;
#else
using byte_row = detail::word_row;
#endif

constexpr std::size_t byte_row_size = 64;

/// Thirty-two bytes in a vector register, with the same tests. CPU only.
class half_row {
 public:
  static constexpr std::size_t size = 32;

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
  explicit half_row(char const* p)
      : low_(_mm_loadu_si128(reinterpret_cast<__m128i const*>(p))),
        high_(_mm_loadu_si128(reinterpret_cast<__m128i const*>(p + 16))) {}
  [[nodiscard]] std::uint32_t equal_to(char c) const {
    __m128i const wanted = _mm_set1_epi8(c);
    return gathered([=](__m128i part) { return _mm_cmpeq_epi8(part, wanted); });
  }
  /// Returns the mask of the digits '0' to '9'.
  [[nodiscard]] std::uint32_t digits() const {
    return gathered([](__m128i part) {
      __m128i const digit = _mm_sub_epi8(part, _mm_set1_epi8('0'));
      return _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
    });
  }

 private:
  template <class Marks>
  std::uint32_t gathered(Marks marks) const {
    return unsigned(_mm_movemask_epi8(marks(low_))) | unsigned(_mm_movemask_epi8(marks(high_))) << 16;
  }
  __m128i low_, high_;
#else
  explicit half_row(char const* p) : bytes_(p) {}
  [[nodiscard]] std::uint32_t equal_to(char c) const {
    return gathered([c](char byte) { return byte == c; });
  }
  [[nodiscard]] std::uint32_t digits() const {
    return gathered([](char byte) { return byte >= '0' && byte <= '9'; });
  }

 private:
  template <class Is>
  std::uint32_t gathered(Is is) const {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < size; ++i) bits |= std::uint32_t{is(bytes_[i])} << i;
    return bits;
  }
  char const* bytes_;
#endif
};

/// Copies the bytes, of `size`, whose bit in `chosen` is set, without gaps. The lowest bit of the first word belongs to the
/// first byte.
/// @returns the number of bytes copied
/// @param room  the number of bytes after `to` that may be overwritten, at least the number of chosen bytes
/// @param fold  0x20 to turn ASCII letters into upper case, 0 to copy bytes unchanged
/// The CPU copies 64 bytes at a time: it may read up to 64 bytes after the last one, and one word after the last of `chosen`.
ORDO_FN inline std::size_t copy_chosen(unsigned char const* from, std::uint64_t const* chosen, std::size_t size,
                                       unsigned char* to, std::size_t room, unsigned char fold) {
  std::size_t done = 0;
#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
  for (std::size_t at = 0; at < size;) {
    std::uint64_t const bits = chosen[at / 64] >> at % 64 | chosen[at / 64 + 1] << 1 << (63 - at % 64);
    std::size_t const run = std::min<std::size_t>(trailing_zeros(~bits), size - at);
    if (room - done >= byte_row_size)
      byte_row::copy(from + at, to + done, fold);
    else
      byte_row::copy(from + at, to + done, fold, run);
    done += run;
    // Also skip the bytes after the run that are not chosen, as far as this word shows.
    std::uint64_t const rest = run == 64 ? 1 : bits >> run;
    at += rest == 0 ? 64 : run + trailing_zeros(rest);
  }
#else
  static_cast<void>(room);
  for (std::size_t at = 0; at < size; at += 64)
    for (std::uint64_t left = chosen[at / 64] & low_bits(size - at); left != 0; left &= left - 1)
      to[done++] = detail::folded(from[at + trailing_zeros(left)], fold);
#endif
  return done;
}

}  // namespace ordo::inline v0
