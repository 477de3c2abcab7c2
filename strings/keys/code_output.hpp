#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/load.hpp"
#include "strings/keys/key_codes.hpp"

// Where codes go.
namespace ordo::strings::detail {

/// Counts codes.
struct code_counter {
  std::size_t size = 0;

  ORDO_FN void put(unsigned) { ++size; }
  /// The uppermost `count` bytes of a word, up to 8.
  ORDO_FN void put_word(std::uint64_t, std::size_t count) { size += count; }
  ORDO_FN void put_bytes(compiled_key const& by, text_piece const& of) {
    std::size_t const bytes = std::size_t(of.last - of.first);
    if (by.one_code_each) {
      size += bytes;
    } else if (by.by_words) {
      size += bytes;
      for (unsigned char const* p = of.first; p < of.last; p += 8)
        size += words::count_of(words::at_least_high(words::ended_at(p, of), 254));
    } else {
      for (unsigned char const* p = of.first; p != of.last; ++p) size += (by.codes[*p] != 0) + (by.codes[*p] > 255);
    }
  }
};

/// Writes codes, eight at a time.
class code_writer {
 public:
  ORDO_FN explicit code_writer(unsigned char* to) : to_(to) {}

  ORDO_FN void put(unsigned code) {
    word_ = word_ << 8 | code;
    if (++size_ == 8) store();
  }
  ORDO_FN void put_word(std::uint64_t word, std::size_t count) {
    std::size_t const room = 8 - size_;
    if (count >= room) {
      word_ = words::left(word_, room) | words::right(word, 8 - room);
      store();
      word = words::left(word, room);
      count -= room;
    }
    word_ = words::left(word_, count) | words::right(word, 8 - count);
    size_ += count;
  }
  ORDO_FN void put_bytes(compiled_key const& by, text_piece const& of) {
    if (by.by_words) return put_direct(by, of);
    unsigned char const* p = of.first;
    if (by.one_code_each) {
      for (; of.last - p >= 8; p += 8) {
        std::uint64_t word = 0;
        for (unsigned i = 0; i < 8; ++i) word = word << 8 | by.codes[p[i]];
        put_word(word, 8);
      }
    }
    for (; p != of.last; ++p) put_codes(by.codes[*p]);
  }
  /// No code after this. @returns behind the last
  ORDO_FN unsigned char* finish() {
    if (size_ != 0) store_big_endian(to_, words::left(word_, 8 - size_), size_);
    return to_ + size_;
  }

 private:
  ORDO_FN void store() {
    store_big_endian(to_, word_, 8);
    to_ += 8;
    size_ = 0;
  }
  ORDO_FN void put_codes(unsigned codes) {
    if (codes != 0) put(codes & 255);
    if (codes > 255) put(codes >> 8);
  }
  // Codes that are bytes, moved up where they are below the delimiter, which none is, and where 1 stands for an end.
  ORDO_FN void put_direct(compiled_key const& by, text_piece const& of) {
    std::uint64_t const flip = by.reverse ? ~std::uint64_t{0} : 0;
    for (unsigned char const* p = of.first; p < of.last; p += 8) {
      std::size_t const left = std::size_t(of.last - p);
      std::size_t const count = left < 8 ? left : 8;
      std::uint64_t word = words::ended_at(p, of);
      if (by.ended && words::at_least_high(word, 254) != 0) {
        for (std::size_t i = 0; i < count; ++i) put_codes(by.codes[p[i]]);
        continue;
      }
      std::uint64_t const below = words::at_least(word, by.delimiter) ^ words::top_bits;
      word += (by.ended ? words::every_byte : 0) + (below >> 7);
      put_word((word ^ flip) + (flip & words::every_byte), count);
    }
  }

  unsigned char* to_;
  std::uint64_t word_ = 0;  // the last codes, the last one the lowest
  std::size_t size_ = 0;    // how many of them are not stored
};

/// The codes of one key on their way: reversed, if the key is.
template <class Out>
class key_output {
 public:
  ORDO_FN key_output(Out& out, bool reverse) : out_(&out), flip_(reverse ? ~std::uint64_t{0} : 0) {}
  ORDO_FN void operator()(unsigned code) const { out_->put((code ^ unsigned(flip_ & 255)) + unsigned(flip_ & 1)); }
  /// The uppermost `count` bytes of a word, up to 8; none of its bytes is 0.
  ORDO_FN void word(std::uint64_t word, std::size_t count) const {
    out_->put_word((word ^ flip_) + (flip_ & words::every_byte), count);
  }
  /// The other way round, if so wished.
  [[nodiscard]] ORDO_FN key_output reversed(bool so) const {
    key_output other = *this;
    if (so) other.flip_ = ~other.flip_;
    return other;
  }

 private:
  Out* out_;
  std::uint64_t flip_;
};

/// n as digits of base 255, so many.
template <class Out>
ORDO_FN void put_size(std::size_t n, unsigned digits, key_output<Out> put) {
  std::size_t unit = 1;
  for (unsigned i = 1; i < digits; ++i) unit *= 255;
  for (; digits != 0; --digits, unit /= 255) put(1 + unsigned(n / unit % 255));
}
/// How many digits of base 255 n has.
ORDO_FN inline unsigned size_digits(std::size_t n) {
  unsigned digits = 1;
  for (; n >= 255; n /= 255) ++digits;
  return digits;
}

}  // namespace ordo::strings::detail
