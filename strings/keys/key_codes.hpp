#pragma once
#include <locale.h>
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/strings/order.hpp"

namespace ordo::inline v0::strings::detail {

/// The bytes [first, last) of a text that is readable up to `limit`.
struct text_piece {
  unsigned char const* first;
  unsigned char const* last;
  unsigned char const* limit;
};

}  // namespace ordo::inline v0::strings::detail

// Operations on eight bytes in a number, the first byte the highest. Tests set the highest bit of each byte for which they
// hold.
namespace ordo::inline v0::strings::detail::words {

constexpr std::uint64_t every_byte = 0x0101010101010101, top_bits = 0x8080808080808080;

/// Shifts by up to 8 bytes.
ORDO_FN inline std::uint64_t left(std::uint64_t word, std::size_t bytes) {
  return word << (4 * bytes) << (4 * bytes);
}
ORDO_FN inline std::uint64_t right(std::uint64_t word, std::size_t bytes) {
  return word >> (4 * bytes) >> (4 * bytes);
}
/// Returns the first `bytes` bytes of a word, up to 8, with 0 after them.
ORDO_FN inline std::uint64_t first(std::uint64_t word, std::size_t bytes) {
  return word & ~right(~std::uint64_t{0}, bytes);
}

/// Returns the eight bytes from p in [first, last] on. Bytes after the last are undefined.
ORDO_FN inline std::uint64_t at(unsigned char const* p, text_piece const& of) {
  if (of.limit - p >= 8) return load_big_endian(p, 8);
  return of.last == p ? 0 : load_big_endian(p, std::size_t(of.last - p));
}

/// As above, with 0 after the last byte.
ORDO_FN inline std::uint64_t ended_at(unsigned char const* p, text_piece const& of) {
  std::size_t const bytes = std::size_t(of.last - p);
  return first(at(p, of), bytes < 8 ? bytes : 8);
}

ORDO_FN inline std::uint64_t equal(std::uint64_t word, unsigned byte) {
  word ^= every_byte * byte;
  return ~(((word & ~top_bits) + ~top_bits) | word) & top_bits;
}

/// @param limit  0 to 128
ORDO_FN inline std::uint64_t at_least(std::uint64_t word, unsigned limit) {
  return (((word & ~top_bits) + every_byte * (128 - limit)) | word) & top_bits;
}

/// @param limit  128 to 255
ORDO_FN inline std::uint64_t at_least_high(std::uint64_t word, unsigned limit) {
  return ((word & ~top_bits) + every_byte * (256 - limit)) & word & top_bits;
}

ORDO_FN inline unsigned count_marks(std::uint64_t marks) {
  return unsigned((marks >> 7) * every_byte >> 56);
}

}  // namespace ordo::inline v0::strings::detail::words

// Keys as codes: bytes whose order by memcmp is the order of the keys. No code is 0, which ends the codes of a line, and no
// key's codes are the beginning of another key's, so that the codes of several keys can follow each other. A reversed key has
// 256 - c for c.
namespace ordo::inline v0::strings::detail {

class collation_table;
struct host_key;

/// A key as backends read it. Tables are by byte.
struct compiled_key {
  static constexpr std::uint16_t dropped = 256;

  std::size_t first_field, first_character, last_field, end_character;
  bool skip_blanks_at_first, skip_blanks_at_end;
  key_type type;
  bool reverse;
  empty_values empty;             // other than by_type: a code for it precedes those of the inner key
  bool direct;                    // every byte is its own image
  bool one_code_each;             // each byte has exactly one code
  bool by_words;                  // eight codes can be computed at a time, see code_writer
  bool collated;                  // for types bytes and random: compared by the locale, on the host
  bool all_levels;                // for a collated key of bytes: codes are of all levels, otherwise of the first one
  std::size_t first_level_codes;  // the maximum number of codes of such a key. If all are of all levels, and more, they are
                                  // cut, and no key follows
  locale_t locale;               // in which the host collates
  collation_table const* table;  // table of the locale, for collated keys; null if it is unknown
  host_key const* host;          // keys that only the host reads
  compiled_key const* inner;     // for a piece that the host finds in this one: the key that reads it
  unsigned char delimiter;
  bool ended;                // an end code follows. The last key of a line needs none unless it is reversed
  std::uint16_t image[256];  // the byte as which a byte is compared, or dropped
  /// For types bytes and random: the code of a byte, and above it a second one or 0. A dropped byte has 0. Reversed already.
  std::uint16_t codes[256];
};

/// The rules that all keys of an order share.
struct key_rules {
  bool separated;  // separators stand between fields; otherwise a field is blanks and the bytes after them that are none
  unsigned char separator;
  unsigned char blank[256];
  bool few_blanks;  // these are all, some of them may be equal
  unsigned char some_blanks[3];
  unsigned char unit[256];         // for human_number: the rank of the unit of a letter, or 0
  bool as_9_1;                     // the rules of coreutils 9.1, see gnu_rules
  std::uint16_t version[256];      // the code of a byte that is no digit, and above it a second one or 0
  unsigned char upper[256];        // the letters as which those of months are compared
  unsigned char month[12][64];     // names, by `upper`, ended by 0, in the order of their bytes
  unsigned char month_number[12];  // the month of each name, from 1 on
  unsigned decimal_point;
  unsigned thousands_separator;  // 256: none
  std::uint32_t md5_sines[64];
  unsigned char random_seed[16];
};

/// The compiled keys and rules in the memory of a backend.
struct compiled_order {
  compiled_key const* keys;
  std::size_t count;  // number of keys that have codes
  key_rules const* rules;
};

/// Reads a piece of a line, byte by byte, unchanged. After the last byte comes `end`.
class direct_piece {
 public:
  static constexpr unsigned end = 256;
  ORDO_FN direct_piece(compiled_key const&, text_piece const& of) : at_(of.first), last_(of.last) {}
  ORDO_FN unsigned operator*() const { return at_ == last_ ? end : *at_; }
  ORDO_FN void operator++() { ++at_; }
  [[nodiscard]] ORDO_FN unsigned char const* at() const { return at_; }
  /// Ends the piece before p, or begins it at p.
  ORDO_FN void end_at(unsigned char const* p) { last_ = p; }
  ORDO_FN void begin_at(unsigned char const* p) { at_ = p; }

 private:
  unsigned char const* at_;
  unsigned char const* last_;
};

/// Reads a piece of a line through the table of a key.
class mapped_piece {
 public:
  static constexpr unsigned end = 256;
  ORDO_FN mapped_piece(compiled_key const& by, text_piece const& of) : at_(of.first), last_(of.last), image_(by.image) {
    pass_dropped();
  }
  ORDO_FN unsigned operator*() const { return at_ == last_ ? end : image_[*at_]; }
  ORDO_FN void operator++() {
    ++at_;
    pass_dropped();
  }
  [[nodiscard]] ORDO_FN unsigned char const* at() const { return at_; }
  ORDO_FN void end_at(unsigned char const* p) { last_ = p; }
  ORDO_FN void begin_at(unsigned char const* p) {
    at_ = p;
    pass_dropped();
  }

 private:
  ORDO_FN void pass_dropped() {
    while (at_ != last_ && image_[*at_] == compiled_key::dropped) ++at_;
  }

  unsigned char const* at_;
  unsigned char const* last_;
  std::uint16_t const* image_;
};

ORDO_FN inline bool is_digit(unsigned byte) {
  return byte - '0' < 10;
}

template <class Piece>
ORDO_FN void skip_blanks(Piece& piece, key_rules const& rules) {
  while (*piece != Piece::end && rules.blank[*piece]) ++piece;
}

// Output of codes.

/// Counts codes.
struct code_counter {
  std::size_t size = 0;

  ORDO_FN void put(unsigned) { ++size; }
  /// Writes the highest `count` bytes of a word, up to 8.
  ORDO_FN void write_word(std::uint64_t, std::size_t count) { size += count; }
  ORDO_FN void write_bytes(compiled_key const& by, text_piece const& of) {
    std::size_t const bytes = std::size_t(of.last - of.first);
    if (by.one_code_each) {
      size += bytes;
    } else if (by.by_words) {
      size += bytes;
      for (unsigned char const* p = of.first; p < of.last; p += 8)
        size += words::count_marks(words::at_least_high(words::ended_at(p, of), 254));
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
  ORDO_FN void write_word(std::uint64_t word, std::size_t count) {
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
  ORDO_FN void write_bytes(compiled_key const& by, text_piece const& of) {
    if (by.by_words) return write_direct(by, of);
    unsigned char const* p = of.first;
    if (by.one_code_each) {
      for (; of.last - p >= 8; p += 8) {
        std::uint64_t word = 0;
        for (unsigned i = 0; i < 8; ++i) word = word << 8 | by.codes[p[i]];
        write_word(word, 8);
      }
    }
    for (; p != of.last; ++p) write_codes(by.codes[*p]);
  }
  /// Writes the last codes. Returns the position after them.
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
  ORDO_FN void write_codes(unsigned codes) {
    if (codes != 0) put(codes & 255);
    if (codes > 255) put(codes >> 8);
  }
  // Writes bytes as codes. Bytes below the delimiter, which does not occur, are one greater, and all are one greater if 1 is
  // the end code.
  ORDO_FN void write_direct(compiled_key const& by, text_piece const& of) {
    std::uint64_t const flip = by.reverse ? ~std::uint64_t{0} : 0;
    for (unsigned char const* p = of.first; p < of.last; p += 8) {
      std::size_t const left = std::size_t(of.last - p);
      std::size_t const count = left < 8 ? left : 8;
      std::uint64_t word = words::ended_at(p, of);
      if (by.ended && words::at_least_high(word, 254) != 0) {
        for (std::size_t i = 0; i < count; ++i) write_codes(by.codes[p[i]]);
        continue;
      }
      std::uint64_t const below = words::at_least(word, by.delimiter) ^ words::top_bits;
      word += (by.ended ? words::every_byte : 0) + (below >> 7);
      write_word((word ^ flip) + (flip & words::every_byte), count);
    }
  }

  unsigned char* to_;
  std::uint64_t word_ = 0;  // the last codes, the last one the lowest
  std::size_t size_ = 0;    // number of codes that are not stored
};

/// Writes the codes of a key, reversed if the key is.
template <class Out>
class key_output {
 public:
  ORDO_FN key_output(Out& out, bool reverse) : out_(&out), flip_(reverse ? ~std::uint64_t{0} : 0) {}
  ORDO_FN void operator()(unsigned code) const { out_->put((code ^ unsigned(flip_ & 255)) + unsigned(flip_ & 1)); }
  /// Writes the highest `count` bytes of a word, up to 8. None of them is 0.
  ORDO_FN void word(std::uint64_t word, std::size_t count) const {
    out_->write_word((word ^ flip_) + (flip_ & words::every_byte), count);
  }
  /// Returns an output that reverses the codes once more if `so`.
  [[nodiscard]] ORDO_FN key_output reversed(bool so) const {
    key_output other = *this;
    if (so) other.flip_ = ~other.flip_;
    return other;
  }

 private:
  Out* out_;
  std::uint64_t flip_;
};

/// Writes n as `digits` digits of base 255.
template <class Out>
ORDO_FN void write_size(std::size_t n, unsigned digits, key_output<Out> put) {
  std::size_t unit = 1;
  for (unsigned i = 1; i < digits; ++i) unit *= 255;
  for (; digits != 0; --digits, unit /= 255) put(1 + unsigned(n / unit % 255));
}
/// Returns the number of digits of n in base 255.
ORDO_FN inline unsigned size_digits(std::size_t n) {
  unsigned digits = 1;
  for (; n >= 255; n /= 255) ++digits;
  return digits;
}

}  // namespace ordo::inline v0::strings::detail
