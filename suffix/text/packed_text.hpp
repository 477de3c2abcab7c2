#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/bits.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/suffix.hpp"
#include "suffix/text/dense_letters.hpp"
#include "suffix/text/record_breaks.hpp"

namespace ordo::suffix::detail {

/// More suffixes are sorted in parts, ranges of their first keys: by a machine with workers in the same time, and in less
/// memory, which has to be had from the system first; by a GPU in a third of the memory, and as long where they are many.
constexpr std::size_t most_at_once(device where) {
  return std::size_t{1} << (where == device::cpu ? 24 : 27);
}

/// How many random reads ahead a loop asks for what it will need.
constexpr std::size_t lookahead = 32;

/// A text in letter_bits bits a letter, as algorithms see it: a value to be captured. Letters are numbered in byte order.
struct packed_view {
  std::uint64_t const* words;
  break_mask breaks;
  unsigned char const* byte_of;  // a letter's byte
  unsigned letter_bits, length_bits;
  unsigned letters;  // in a key
  bool is_dense;     // are letters in keys as in dense_letters.hpp?

  /// The letters from p on to the end of p's record, at most `letters` of them, the first one highest; the place of those
  /// that are missing holds the smallest letter, and how many there are is in the lowest bits. So keys compare as the
  /// suffixes do, as far as they reach, and a key tells whether its suffix ends in it.
  ORDO_FN std::uint64_t key(std::size_t p) const { return key_of_length(p, breaks.distance(p + 1) + 1); }
  /// The key of what follows p letters of some record: nothing, where p is the record's end.
  ORDO_FN std::uint64_t key_behind(std::size_t p) const { return key_of_length(p, breaks.distance(p)); }

  /// The letters at p as the text has them, as many as 64 bits hold, zeros behind the end of p's record: in the order of keys,
  /// but that what is behind the last whole letter counts, too, and lengths do not.
  ORDO_FN std::uint64_t window(std::size_t p) const {
    std::uint64_t const all = bits_from(words, p * letter_bits);
    if (breaks.are_far(p + 1)) return all;
    unsigned const bits = (breaks.distance(p + 1) + 1) * letter_bits;
    return bits < 64 ? all >> (64 - bits) << (64 - bits) : all;
  }

  /// How many letters of a key are in a window.
  [[nodiscard]] unsigned letters_in_window() const { return std::min(letters, 64 / letter_bits); }
  /// The window of those letters that the greatest key up to this number has, zeros behind them.
  [[nodiscard]] std::uint64_t window_of(std::uint64_t key) const {
    unsigned const bits = bits_of(letters, letter_bits, is_dense);
    std::uint64_t const all = std::min(key >> length_bits, (std::uint64_t{1} << bits) - 1);
    return is_dense ? dense::window_of(all, letters) : all << (64 - bits);
  }

  /// No key is above it.
  [[nodiscard]] std::uint64_t greatest_number() const { return ~std::uint64_t{0} >> (64 - key_bits().end); }
  [[nodiscard]] bit_range key_bits() const { return {0, bits_of(letters, letter_bits, is_dense) + length_bits}; }
  ORDO_FN unsigned length(std::uint64_t key) const { return unsigned(key & ((std::uint64_t{1} << length_bits) - 1)); }
  /// Does the suffix end in its key?
  ORDO_FN bool ends(std::uint64_t key) const { return length(key) < letters; }

  /// The letters at p will soon be read.
  ORDO_FN void expect(std::size_t p) const {
    prefetch(words + p * letter_bits / 64);
    breaks.expect(p);
  }

  /// The number of the letter at p.
  ORDO_FN unsigned letter(std::size_t p) const { return unsigned(bits_from(words, p * letter_bits) >> (64 - letter_bits)); }
  ORDO_FN unsigned char byte(std::size_t p) const { return byte_of[letter(p)]; }

  /// How many letters two keys have in common.
  ORDO_FN unsigned common_letters(std::uint64_t a, std::uint64_t b) const {
    unsigned const shorter = length(a) < length(b) ? length(a) : length(b),
                   agree = equal_letters(a >> length_bits, b >> length_bits);
    return agree < shorter ? agree : shorter;
  }
  /// The letters of a key if each were 1: times a letter, those of a key of that letter alone.
  [[nodiscard]] std::uint64_t ones() const {
    if (is_dense) return dense::ones(letters);
    std::uint64_t all = 0;
    for (unsigned k = 0; k < letters; ++k) all = all << letter_bits | 1;
    return all;
  }
  /// The last letter of a key whose letters are all the same.
  ORDO_FN std::uint64_t last_of_equal(std::uint64_t of_key) const {
    if (is_dense && letters % dense::group == 0) return (of_key & ((1u << dense::group_bits) - 1)) / 31;
    return of_key & ((std::uint64_t{1} << letter_bits) - 1);
  }

  /// What so many letters of a key take.
  static constexpr unsigned bits_of(unsigned letters, unsigned letter_bits, bool is_dense) {
    return is_dense ? dense::bits(letters) : letters * letter_bits;
  }

 private:
  ORDO_FN std::uint64_t key_of_length(std::size_t p, unsigned reach) const {
    unsigned const count = reach < letters ? reach : letters;
    return letters_at(p, count) << length_bits | count;
  }

  /// The letters of a key from p on, of which `count` are there; in the place of the others stands the smallest letter.
  ORDO_FN std::uint64_t letters_at(std::size_t p, unsigned count) const {
    if (is_dense) return dense_letters_at(p, count);
    std::uint64_t const window = bits_from(words, p * letter_bits) >> (64 - letters * letter_bits);
    unsigned const missing = (letters - count) * letter_bits;  // below 64: a key holds a length, too
    return window >> missing << missing;
  }
  ORDO_FN std::uint64_t dense_letters_at(std::size_t p, unsigned count) const {
    using namespace dense;
    unsigned const here = count < in_word ? count : in_word, missing = (in_word - here) * dense::letter_bits;  // 63 at most
    std::uint64_t const first = from_word(bits_from(words, p * dense::letter_bits) >> 1 >> missing << missing);
    if (letters <= in_word) {
      std::uint64_t const groups = first >> (in_word - letters) / group * group_bits;
      return letters % group == 0 ? groups
                                  : groups >> group_bits << dense::letter_bits | first_of_group(unsigned(groups & 0x7f));
    }
    constexpr unsigned rest = most - in_word;
    unsigned const there = count - here, lacking = (rest - there) * dense::letter_bits;
    std::uint64_t const behind =
        bits_from(words, (p + in_word) * dense::letter_bits) >> (64 - rest * dense::letter_bits) >> lacking << lacking;
    std::uint64_t const three = (behind >> 9) * 25 + (behind >> 6 & 7) * 5 + (behind >> 3 & 7);
    std::uint64_t const all = first << group_bits | three;
    return letters == most ? all << dense::letter_bits | (behind & 7) : all;
  }

  /// How many letters are equal, of two keys' letters.
  ORDO_FN unsigned equal_letters(std::uint64_t a, std::uint64_t b) const {
    unsigned const differing = 64 - leading_zeros(a ^ b);  // bits from the lowest on
    if (!is_dense) return letters - (differing + letter_bits - 1) / letter_bits;
    if (differing == 0) return letters;
    unsigned const last = letters % dense::group;  // a letter behind the groups, or none
    if (differing <= last * dense::letter_bits) return letters - 1;
    unsigned const at = (differing - last * dense::letter_bits - 1) / dense::group_bits;  // which group, from the last on
    unsigned const shift = last * dense::letter_bits + at * dense::group_bits, mask = (1u << dense::group_bits) - 1;
    return letters - last - dense::group * (at + 1) +
           dense::common_of_group(unsigned(a >> shift) & mask, unsigned(b >> shift) & mask);
  }
};

/// Which bytes occur.
struct byte_set {
  std::uint64_t words[4] = {};
  [[nodiscard]] bool has(unsigned byte) const { return words[byte / 64] >> (byte % 64) & 1; }
};

struct union_of_sets {
  ORDO_FN byte_set operator()(byte_set a, byte_set b) const {
    for (int k = 0; k < 4; ++k) a.words[k] |= b.words[k];
    return a;
  }
};

/// The bytes in block b of a text.
struct bytes_in_block {
  static constexpr std::size_t size = 64;
  unsigned char const* text;
  std::size_t n;

  ORDO_FN byte_set operator()(std::size_t b) const {
    byte_set found;
    std::size_t const end = (b + 1) * size < n ? (b + 1) * size : n;
    for (std::size_t p = b * size; p < end; p += 8) {
      std::size_t const some = end - p < 8 ? end - p : 8;
      std::uint64_t bytes = load_big_endian(text + p, some);
      for (std::size_t k = 0; k < some; ++k, bytes <<= 8) found.words[bytes >> 62] |= std::uint64_t{1} << (bytes >> 56 & 63);
    }
    return found;
  }
};

/// Writes word w of a text of `width` bits a letter.
struct pack_letters {
  unsigned char const* text;
  std::size_t n;
  unsigned char const* code;
  std::size_t width;
  std::uint64_t* words;

  ORDO_FN void operator()(std::size_t w) const {
    std::uint64_t word = 0;
    for (std::size_t p = 64 * w / width; p < n && p * width < 64 * (w + 1); ++p) {
      // From the letter's last bit to the word's last bit.
      std::int64_t const shift = std::int64_t(64 * (w + 1)) - std::int64_t((p + 1) * width);
      std::uint64_t const letter = code[text[p]];
      word |= shift >= 0 ? letter << shift : letter >> -shift;
    }
    words[w] = word;
  }
};

/// A text in a machine's memory, packed. Takes n/4 bytes for up to four letters, at most n, and n/8 for the breaks; while it
/// is made, n more.
template <Backend B>
class packed_text {
 public:
  packed_text(B& machine, text const& input)
      : packed_text(machine,
                    machine
                        .upload(std::span<unsigned char const>(reinterpret_cast<unsigned char const*>(input.residues.data()),
                                                               input.size()))
                        .span(),
                    input.starts) {}
  /// @param residues  in the machine's memory @param starts  as those of a text
  packed_text(B& machine, std::span<unsigned char const> residues, std::span<std::uint64_t const> starts)
      : size_(residues.size()), breaks_(machine, residues.size(), starts) {
    std::size_t const n = size_;
    number_letters(machine.reduce((n + bytes_in_block::size - 1) / bytes_in_block::size, bytes_in_block{residues.data(), n},
                                  byte_set{}, union_of_sets{}));

    auto const codes = machine.upload(std::span<unsigned char const>(code_of_));
    byte_of_uploaded_ = machine.upload(std::span<unsigned char const>(byte_of_));
    words_ = machine.template buffer<std::uint64_t>((n * letter_bits_ + 63) / 64 + 2);
    machine.each(words_.size(), pack_letters{residues.data(), n, codes.data(), letter_bits_, words_.data()});
  }

  packed_text(packed_text const&) = delete;  // on the CPU machine it has views of itself
  packed_text& operator=(packed_text const&) = delete;

  /// With keys of 64 bits.
  [[nodiscard]] packed_view view() const { return view_of(letters_in(64, is_dense()), is_dense()); }
  /// With keys for a first sort of all suffixes. Those that 8 bits more than tell all positions apart do not settle are in
  /// repeats, where more letters are of little use; and a sort goes by bytes. The keys of one range of many differ in 4 bits
  /// less, and 5 bits more are enough there. A letter of nucleotides tells two bits, however many take some others. Workers
  /// sort by what differs in a key, however long it is; but they make one letter by letter.
  [[nodiscard]] packed_view first_view() const {
    if (has_workers<B>) return view_of(letters_in(64, false), false);
    unsigned const tells = letters_ <= 16 ? 2 : letter_bits_, whole = letters_in(64, is_dense());
    bool const in_ranges = size_ > most_at_once(device::gpu);
    unsigned const wanted = (unsigned(std::bit_width(size_)) + (in_ranges ? 5 : 8) + tells - 1) / tells;
    for (unsigned bits = in_ranges ? 12 : 8; bits < 64; bits += 8)
      if (unsigned const letters = letters_in(bits, is_dense()); letters >= wanted && letters < whole)
        return view_of(letters, is_dense());
    return view_of(whole, is_dense());
  }
  [[nodiscard]] record_breaks<B> const& breaks() const { return breaks_; }
  /// Waits until all of it is there: for another machine, whose work is in no order with this one's.
  void finish(B& machine) const {
    std::uint64_t last = 0;
    machine.download(std::span<std::uint64_t const>(words_.span().last(1)), std::span<std::uint64_t>(&last, 1));
  }
  /// The letters that occur.
  [[nodiscard]] std::span<unsigned char const> bytes() const {
    return std::span<unsigned char const>(byte_of_).first(letters_);
  }
  /// Residues, and records.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t records() const { return breaks_.bounds().size() - 1; }

 private:
  [[nodiscard]] bool is_dense() const { return letters_ == dense::alphabet; }
  /// How many letters a key of so many bits has, besides its length.
  [[nodiscard]] unsigned letters_in(unsigned bits, bool is_dense) const {
    unsigned letters = is_dense ? dense::most : bits / letter_bits_;
    while (packed_view::bits_of(letters, letter_bits_, is_dense) + unsigned(std::bit_width(letters)) > bits ||
           (is_dense && !dense::possible(letters)))
      --letters;
    return letters;
  }
  [[nodiscard]] packed_view view_of(unsigned letters, bool is_dense) const {
    return {words_.data(), breaks_.mask(), byte_of_uploaded_.data(), letter_bits_, unsigned(std::bit_width(letters)),
            letters,       is_dense};
  }

  void number_letters(byte_set present) {
    unsigned sigma = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (!present.has(byte)) continue;
      code_of_[byte] = static_cast<unsigned char>(sigma);
      byte_of_[sigma++] = static_cast<unsigned char>(byte);
    }
    letters_ = sigma;
    letter_bits_ = sigma <= 4 ? 2u : unsigned(std::bit_width(sigma - 1));
  }

  std::size_t size_;
  record_breaks<B> breaks_;
  std::array<unsigned char, 256> code_of_{}, byte_of_{};
  unsigned letters_ = 0, letter_bits_ = 2;
  buffer<std::uint64_t> words_;
  buffer<unsigned char const> byte_of_uploaded_;
};

/// The bytes of a packed text from `first` on.
struct unpack_letters {
  packed_view text;
  std::size_t first;
  char* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = char(text.byte(first + i)); }
};

}  // namespace ordo::suffix::detail
