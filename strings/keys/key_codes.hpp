#pragma once
#include <locale.h>
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "ordo/strings/order.hpp"
#include "strings/keys/text_piece.hpp"

// Keys as codes: a key's piece of a line becomes bytes, its codes, whose order by memcmp is the wanted one. No code is 0, which
// ends the codes of a line; and no key's codes are the beginning of another's, so that those of several keys can follow each
// other. A reversed key has 256 - c for c.
namespace ordo::strings::detail {

struct single_bytes;

/// One key as the machines read it. Tables are by byte.
struct compiled_key {
  static constexpr std::uint16_t dropped = 256;

  std::size_t first_field, first_character, last_field, end_character;
  bool skip_blanks_at_first, skip_blanks_at_end;
  reading as;
  bool reverse;
  bool direct;                    // every byte is read as what it is
  bool one_code_each;             // each byte has exactly one code
  bool by_words;                  // codes of eight bytes can be computed at a time, see code_writer
  bool collated;                  // of the readings bytes and random: by the locale, on the host
  std::size_t first_level_codes;  // of a collated key of bytes: at most so many codes, of the collation's first level
  locale_t locale;                // by which the host collates
  single_bytes const* single;     // the locale's, for collated keys
  unsigned char delimiter;
  bool ended;                // codes: an end code follows. The last key of a line needs none, as long as it is not reversed
  std::uint16_t image[256];  // what a byte is read as, or dropped
  /// Of the readings bytes and random: a byte's code, and above it a second one or 0; 0 where a byte is dropped. Reversed
  /// already.
  std::uint16_t codes[256];
};

/// What all keys of an order share.
struct key_rules {
  bool separated;  // fields are what separators stand between; else blanks and what is no blank behind them
  unsigned char separator;
  unsigned char blank[256];
  bool few_blanks;  // no more than these, of which some may be equal:
  unsigned char some_blanks[3];
  unsigned char unit[256];         // of human_number: the order of the unit that a letter stands for, or 0
  std::uint16_t version[256];      // the code of a byte that is no digit, and above it a second one or 0
  unsigned char upper[256];        // as which letters of months are compared
  unsigned char month[12][64];     // names, by `upper`, ended by 0, in the order of their bytes;
  unsigned char month_number[12];  // which month each is, from 1 on
  unsigned decimal_point;
  unsigned thousands_separator;  // 256: none
  std::uint32_t md5_sines[64];
  unsigned char random_seed[16];
};

/// All of it, in a machine's memory.
struct compiled_order {
  compiled_key const* keys;
  std::size_t count;  // of those that have codes
  key_rules const* rules;
};

/// A piece of a line, byte by byte, as it is in the text. What comes behind it has the value `end`.
class direct_piece {
 public:
  static constexpr unsigned end = 256;
  ORDO_FN direct_piece(compiled_key const&, text_piece const& of) : at_(of.first), last_(of.last) {}
  ORDO_FN unsigned operator*() const { return at_ == last_ ? end : *at_; }
  ORDO_FN void operator++() { ++at_; }
  [[nodiscard]] ORDO_FN unsigned char const* at() const { return at_; }
  /// Of the piece only what is before, or from p on.
  ORDO_FN void end_at(unsigned char const* p) { last_ = p; }
  ORDO_FN void begin_at(unsigned char const* p) { at_ = p; }

 private:
  unsigned char const* at_;
  unsigned char const* last_;
};

/// The same, as a key's table has it.
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

}  // namespace ordo::strings::detail
