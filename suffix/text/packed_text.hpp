#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/first_bound.hpp"
#include "ordo/backend.hpp"
#include "ordo/communicator.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"
#include "ordo/suffix.hpp"
#include "suffix/text/token_alphabet.hpp"

// An alphabet of five letters, such as nucleotides and N: three letters are one of 125 numbers, in seven bits instead of nine.
// So a key of 64 bits has 25 letters, not 19, and uses its bits evenly. Packed texts keep three bits a letter, because a key
// can begin at any letter.
namespace ordo::inline v0::suffix::detail {

namespace dense {

constexpr unsigned alphabet = 5, letter_bits = 3, group = 3, group_bits = 7;
constexpr unsigned in_word = 21;      // letters of a text in 63 bits
constexpr unsigned max_letters = 25;  // in a key, besides its length

/// Returns the bits of a number of letters: whole groups, or one letter more.
constexpr unsigned bits(unsigned letters) {
  return letters / group * group_bits + letters % group * letter_bits;
}
/// Returns true if keys of this number of letters are supported.
constexpr bool possible(unsigned letters) {
  return letters <= max_letters &&
         (letters % group == 0 || (letters % group == 1 && (letters < in_word || letters == max_letters)));
}

/// Converts 21 letters of three bits to seven groups of seven bits.
ORDO_FN constexpr std::uint64_t from_word(std::uint64_t x) {
  constexpr std::uint64_t each = 0x1c0e070381c0e07;  // the last letter of each group
  x = (x >> 6 & each) * 25 + (x >> 3 & each) * 5 + (x & each);
  // Two of nine bits are free now: moves groups together, by twos, fours and all.
  constexpr std::uint64_t one = 0x7f, two = 0x3fff, four = 0xfffffff;
  x = (x & (one | one << 18 | one << 36 | one << 54)) | (x & (one << 9 | one << 27 | one << 45)) >> 2;
  x = (x & (two | two << 36)) | (x & (two << 18 | two << 54)) >> 4;
  return (x & four) | (x & four << 36) >> 8;
}

/// Returns the first of three letters.
ORDO_FN constexpr unsigned first_of_group(unsigned number) {
  return number / 25;
}

/// Returns the greatest letters whose key is at most `key`, which may be any number of that many bits: three bits each, the
/// first one highest, as many as fit a word.
constexpr std::uint64_t last_window(std::uint64_t key, unsigned letters) {
  std::uint64_t window = 0;
  bool is_above = false;  // above any letters: all that follow are the last letter
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

/// Returns a key of `letters` letters 1.
constexpr std::uint64_t ones(unsigned letters) {
  std::uint64_t all = 0;
  for (unsigned k = 0; k < letters / group; ++k) all = all << group_bits | 31;
  return letters % group == 0 ? all : all << letter_bits | 1;
}

/// Returns the number of letters that two groups share, from the first on.
ORDO_FN constexpr unsigned common_of_group(unsigned a, unsigned b) {
  return a / 25 != b / 25 ? 0 : a / 5 != b / 5 ? 1 : a != b ? 2 : 3;
}

}  // namespace dense

// The starts and ends of the records of a text, as algorithms use them.

/// Returns 64 bits of a stream of words, from bit `at` on; the first bit of the stream is the highest of its first word. Also
/// reads the next word.
ORDO_FN inline std::uint64_t bits_from(std::uint64_t const* words, std::size_t at) {
  unsigned const skip = unsigned(at % 64);
  return words[at / 64] << skip | words[at / 64 + 1] >> 1 >> (63 - skip);
}

/// The starts of records and the end of the text: bit p of a stream, of which one word more may be read. Most of a genome is
/// far from all of them; a summary that shows it fits a cache: bit k of `near` stands for the 4096 positions from 4096 k on,
/// and the 128 after them.
struct break_mask {
  static constexpr std::size_t block = 4096, beyond = 128;
  std::uint64_t const *words, *near;

  ORDO_FN bool operator()(std::size_t p) const { return may_be_near(p) && (words[p / 64] >> (63 - p % 64) & 1); }
  /// Returns the distance from p to the first break at or after p; 64 if it is 64 or more.
  ORDO_FN unsigned distance(std::size_t p) const { return may_be_near(p) ? leading_zeros(bits_from(words, p)) : 64; }
  /// Returns true if there is certainly no break in [p, p + 64).
  ORDO_FN bool are_far(std::size_t p) const { return !may_be_near(p) || (words[p / 64] | words[p / 64 + 1]) == 0; }
  /// Prefetches for the positions from p on.
  ORDO_FN void prefetch(std::size_t p) const {
    if (may_be_near(p)) ordo::prefetch(words + p / 64);
  }

 private:
  ORDO_FN bool may_be_near(std::size_t p) const { return near[p / block / 64] >> (p / block % 64) & 1; }
};

/// Writes bound r of `records` records.
struct write_bounds {
  std::uint64_t const* starts;  // null for one record
  std::size_t records, n;
  std::uint64_t* bounds;
  ORDO_FN void operator()(std::size_t r) const { bounds[r] = r == 0 ? 0 : r == records ? n : starts[r]; }
};

/// Writes word w of a break mask.
struct mark_breaks {
  std::uint64_t const* bounds;
  std::size_t count;
  std::uint64_t* words;

  ORDO_FN void operator()(std::size_t w) const {
    std::uint64_t word = 0;
    for (std::size_t at = first_bound(bounds, count, 64 * w); at < count && bounds[at] < 64 * (w + 1); ++at)
      word |= std::uint64_t{1} << (63 - bounds[at] % 64);
    words[w] = word;
  }
};

struct clear_word {
  std::uint64_t* words;
  ORDO_FN void operator()(std::size_t w) const { words[w] = 0; }
};

/// Marks the blocks that bound r is near.
struct mark_near_break {
  std::uint64_t const* bounds;
  std::uint64_t* words;

  ORDO_FN void operator()(std::size_t r) const {
    std::size_t const block = bounds[r] / break_mask::block;
    mark(block);
    if (block != 0 && bounds[r] % break_mask::block < break_mask::beyond) mark(block - 1);
  }

 private:
  ORDO_FN void mark(std::size_t block) const { or_relaxed(&words[block / 64], std::uint64_t{1} << (block % 64)); }
};

/// The bounds of a text's records in a backend's memory.
template <Backend B>
class record_breaks {
 public:
  /// @param n  residues
  /// @param starts  as those of a text
  record_breaks(B& backend, std::size_t n, std::span<std::uint64_t const> starts)
      : bounds_(backend.template buffer<std::uint64_t>(std::max<std::size_t>(starts.size(), 1) + 1)),
        words_(backend.template buffer<std::uint64_t>(n / 64 + 2)),
        near_(backend.template buffer<std::uint64_t>(near_words(n))) {
    auto const uploaded = backend.upload(starts);
    backend.each(bounds_.size(), write_bounds{uploaded.data(), bounds_.size() - 1, n, bounds_.data()});
    backend.each(words_.size(), mark_breaks{bounds_.data(), bounds_.size(), words_.data()});
    backend.each(near_.size(), clear_word{near_.data()});
    backend.each(bounds_.size(), mark_near_break{bounds_.data(), near_.data()});
  }

  /// Returns the number of words of the summary.
  static constexpr std::size_t near_words(std::size_t n) { return n / break_mask::block / 64 + 1; }

  [[nodiscard]] break_mask mask() const { return {words_.data(), near_.data()}; }
  /// Returns the start of each record, and the end of the last one.
  [[nodiscard]] std::span<std::uint64_t const> bounds() const { return bounds_.span(); }

 private:
  buffer<std::uint64_t> bounds_, words_, near_;
};

/// The maximum number of suffixes that are sorted at once; more are sorted by ranges of their first keys. On a machine with
/// workers ranges take the same time and less memory, which the system would have to provide first; on a GPU, a third of the
/// memory and, for many suffixes, the same time.
constexpr std::size_t max_at_once(device where) {
  return std::size_t{1} << (where == device::cpu ? 24 : 27);
}

/// The prefetch distance of loops with random reads.
constexpr std::size_t lookahead = 32;

/// A view of a text with letter_bits bits a letter, to be captured by value. Letters are numbered in the order of bytes or
/// tokens.
struct packed_view {
  std::uint64_t const* words;
  break_mask breaks;
  unsigned char const* letter_bytes;  // bytes of letters; not for tokens
  unsigned letter_bits, length_bits;
  unsigned letters;  // in a key
  bool is_dense;     // whether keys hold dense letters (namespace dense)

  /// Returns the key of p: the letters from p on to the end of p's record, at most `letters` of them, the first one highest,
  /// filled with the smallest letter; the lowest bits hold their number. So keys compare as suffixes do, as far as they reach,
  /// and a key shows whether its suffix ends in it.
  ORDO_FN std::uint64_t key(std::size_t p) const { return key_of_length(p, breaks.distance(p + 1) + 1); }
  /// Returns the key of what follows p letters of some record; an empty key at the end of the record.
  ORDO_FN std::uint64_t key_behind(std::size_t p) const { return key_of_length(p, breaks.distance(p)); }

  /// Returns the letters at p as the text stores them, as many as 64 bits hold, with zeros after the end of p's record. Windows
  /// have the order of keys, but include a part of the next letter, and no length.
  ORDO_FN std::uint64_t window(std::size_t p) const {
    std::uint64_t const all = bits_from(words, p * letter_bits);
    if (breaks.are_far(p + 1)) return all;
    unsigned const bits = (breaks.distance(p + 1) + 1) * letter_bits;
    return bits < 64 ? all >> (64 - bits) << (64 - bits) : all;
  }

  /// Returns the number of letters of a key in a window.
  [[nodiscard]] unsigned letters_in_window() const { return std::min(letters, 64 / letter_bits); }
  /// Returns the window of the letters of the greatest key up to this number, with zeros after them.
  [[nodiscard]] std::uint64_t last_window(std::uint64_t key) const {
    unsigned const bits = bits_for(letters, letter_bits, is_dense);
    std::uint64_t const all = std::min(key >> length_bits, (std::uint64_t{1} << bits) - 1);
    return is_dense ? dense::last_window(all, letters) : all << (64 - bits);
  }

  /// Returns true if runs of one letter are sorted as such (letter_runs.hpp). A key has seven of these letters or more. Texts
  /// of more letters have shorter keys, and too many short runs for a list in memory.
  ORDO_FN bool may_have_runs() const { return letter_bits <= 8; }
  /// Returns an upper bound of all keys.
  [[nodiscard]] std::uint64_t greatest_number() const { return ~std::uint64_t{0} >> (64 - key_bits().end); }
  [[nodiscard]] bit_range key_bits() const { return {0, bits_for(letters, letter_bits, is_dense) + length_bits}; }
  ORDO_FN unsigned length(std::uint64_t key) const { return unsigned(key & ((std::uint64_t{1} << length_bits) - 1)); }
  /// Returns true if the suffix ends in its key.
  ORDO_FN bool ends(std::uint64_t key) const { return length(key) < letters; }

  /// Prefetches the letters at p.
  ORDO_FN void prefetch(std::size_t p) const {
    ordo::prefetch(words + p * letter_bits / 64);
    breaks.prefetch(p);
  }

  /// Returns the number of the letter at p.
  ORDO_FN unsigned letter(std::size_t p) const { return unsigned(bits_from(words, p * letter_bits) >> (64 - letter_bits)); }
  ORDO_FN unsigned char byte(std::size_t p) const { return letter_bytes[letter(p)]; }

  /// Returns the number of letters that two keys share.
  ORDO_FN unsigned common_letters(std::uint64_t a, std::uint64_t b) const {
    unsigned const shorter = length(a) < length(b) ? length(a) : length(b),
                   agree = equal_letters(a >> length_bits, b >> length_bits);
    return agree < shorter ? agree : shorter;
  }
  /// Returns the letters of a key if each were 1; times a letter, these are a key of that letter alone.
  [[nodiscard]] std::uint64_t ones() const {
    if (is_dense) return dense::ones(letters);
    std::uint64_t all = 0;
    for (unsigned k = 0; k < letters; ++k) all = all << letter_bits | 1;
    return all;
  }
  /// Returns the last letter of a key whose letters are all the same.
  ORDO_FN std::uint64_t last_of_equal(std::uint64_t of_key) const {
    if (is_dense && letters % dense::group == 0) return (of_key & ((1u << dense::group_bits) - 1)) / 31;
    return of_key & ((std::uint64_t{1} << letter_bits) - 1);
  }

  /// Returns the bits that a number of letters takes in a key.
  static constexpr unsigned bits_for(unsigned letters, unsigned letter_bits, bool is_dense) {
    return is_dense ? dense::bits(letters) : letters * letter_bits;
  }

 private:
  ORDO_FN std::uint64_t key_of_length(std::size_t p, unsigned reach) const {
    unsigned const count = reach < letters ? reach : letters;
    return letters_at(p, count) << length_bits | count;
  }

  /// Returns the letters of a key from p on, `count` of them, filled with the smallest letter.
  ORDO_FN std::uint64_t letters_at(std::size_t p, unsigned count) const {
    if (is_dense) return dense_letters_at(p, count);
    std::uint64_t const window = bits_from(words, p * letter_bits) >> (64 - letters * letter_bits);
    unsigned const missing = (letters - count) * letter_bits;  // below 64, because a key also holds a length
    return window >> missing << missing;
  }
  ORDO_FN std::uint64_t dense_letters_at(std::size_t p, unsigned count) const {
    using namespace dense;
    unsigned const here = count < in_word ? count : in_word, missing = (in_word - here) * dense::letter_bits;  // at most 63
    std::uint64_t const first = from_word(bits_from(words, p * dense::letter_bits) >> 1 >> missing << missing);
    if (letters <= in_word) {
      std::uint64_t const groups = first >> (in_word - letters) / group * group_bits;
      return letters % group == 0 ? groups
                                  : groups >> group_bits << dense::letter_bits | first_of_group(unsigned(groups & 0x7f));
    }
    constexpr unsigned rest = max_letters - in_word;
    unsigned const there = count - here, lacking = (rest - there) * dense::letter_bits;
    std::uint64_t const after =
        bits_from(words, (p + in_word) * dense::letter_bits) >> (64 - rest * dense::letter_bits) >> lacking << lacking;
    std::uint64_t const three = (after >> 9) * 25 + (after >> 6 & 7) * 5 + (after >> 3 & 7);
    std::uint64_t const all = first << group_bits | three;
    return letters == max_letters ? all << dense::letter_bits | (after & 7) : all;
  }

  /// Returns the number of letters that the letters of two keys share.
  ORDO_FN unsigned equal_letters(std::uint64_t a, std::uint64_t b) const {
    unsigned const differing = 64 - leading_zeros(a ^ b);  // counted from the lowest bit
    if (!is_dense) return letters - (differing + letter_bits - 1) / letter_bits;
    if (differing == 0) return letters;
    unsigned const last = letters % dense::group;  // a letter after the groups, or none
    if (differing <= last * dense::letter_bits) return letters - 1;
    unsigned const at =
        (differing - last * dense::letter_bits - 1) / dense::group_bits;  // the group, counted from the last one
    unsigned const shift = last * dense::letter_bits + at * dense::group_bits, mask = (1u << dense::group_bits) - 1;
    return letters - last - dense::group * (at + 1) +
           dense::common_of_group(unsigned(a >> shift) & mask, unsigned(b >> shift) & mask);
  }
};

/// The set of bytes that occur.
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

/// Collects the bytes in block b of a text.
struct bytes_in_block {
  static constexpr std::size_t size = 64;
  unsigned char const* text;
  std::size_t n;

  ORDO_FN byte_set operator()(std::size_t b) const {
    byte_set byte_set;
    std::size_t const end = (b + 1) * size < n ? (b + 1) * size : n;
    for (std::size_t p = b * size; p < end; p += 8) {
      std::size_t const some = end - p < 8 ? end - p : 8;
      std::uint64_t bytes = load_big_endian(text + p, some);
      for (std::size_t k = 0; k < some; ++k, bytes <<= 8) byte_set.words[bytes >> 62] |= std::uint64_t{1} << (bytes >> 56 & 63);
    }
    return byte_set;
  }
};

/// Collects the bytes in block b of a text, on the host: to store a mark for each is faster than to set bits.
struct bytes_marked_in_block {
  static constexpr std::size_t size = 512;
  unsigned char const* text;
  std::size_t n;

  byte_set operator()(std::size_t b) const {
    std::array<unsigned char, 256> marks{};
    std::size_t const end = std::min((b + 1) * size, n);
    for (std::size_t p = b * size; p < end; ++p) marks[text[p]] = 1;
    byte_set byte_set;
    for (std::size_t byte = 0; byte < marks.size(); byte += 8) {
      constexpr std::uint64_t gather = 0x8040201008040201;  // moves the lowest bit of each byte into the highest one
      std::uint64_t const eight = load_big_endian(marks.data() + byte, 8);  // the mark of the first one is the highest
      byte_set.words[byte / 64] |= (eight * gather >> 56) << byte % 64;
    }
    return byte_set;
  }
};

/// Packs eight letters, each in a byte, into the lowest 8 * `width` bits. The first letter is the highest.
/// @param letters  below 2^width, width 1 to 8
constexpr std::uint64_t pack_eight(std::uint64_t letters, std::size_t width) {
  constexpr std::uint64_t ones = 0x00ff00ff00ff00ff, twos = 0x0000ffff0000ffff;
  letters = (letters & ones) | (letters >> 8 & ones) << width;
  letters = (letters & twos) | (letters >> 16 & twos) << 2 * width;
  return (letters & 0xffffffff) | (letters >> 32) << 4 * width;
}
/// Unpacks the letters that pack_eight packed. Ignores higher bits.
constexpr std::uint64_t unpack_eight(std::uint64_t letters, std::size_t width) {
  auto const lowest = [](std::size_t bits) { return ~std::uint64_t{0} >> (64 - bits); };
  std::uint64_t const four = lowest(4 * width), two = lowest(2 * width) * 0x100000001, one = lowest(width) * 0x1000100010001;
  letters = (letters & four) | (letters >> 4 * width & four) << 32;
  letters = (letters & two) | (letters >> 2 * width & two) << 16;
  return (letters & one) | (letters >> width & one) << 8;
}

/// Numbers the bytes that occur.
struct byte_code {
  unsigned char const* code;
  ORDO_FN std::uint64_t operator()(unsigned char byte) const { return code[byte]; }
};

/// Writes word w of a text of `width` bits a letter.
/// @tparam Code  numbers a residue
template <class Residue, class Code>
struct pack_letters {
  Residue const* text;
  std::size_t n;
  Code code;
  std::size_t width;
  std::uint64_t* words;

  ORDO_FN void operator()(std::size_t w) const {
    std::uint64_t word = 0;
    for (std::size_t p = 64 * w / width; p < n && p * width < 64 * (w + 1); ++p) {
      // From the letter's last bit to the word's last bit.
      std::int64_t const shift = std::int64_t(64 * (w + 1)) - std::int64_t((p + 1) * width);
      std::uint64_t const letter = code(text[p]);
      word |= shift >= 0 ? letter << shift : letter >> -shift;
    }
    words[w] = word;
  }
};

/// Writes the words of block b of a text of bytes, on the host: eight letters at a time.
struct pack_block {
  static constexpr std::size_t size = 64;  // letters, which fill as many words as a letter has bits
  unsigned char const *text, *code;
  std::size_t width;
  std::uint64_t* words;

  void operator()(std::size_t b) const {
    std::size_t const bits = 8 * width;
    std::size_t left = 64;  // bits of the word
    std::uint64_t word = 0;
    std::uint64_t* to = words + b * width;
    for (unsigned char const *from = text + b * size, *const end = from + size; from != end; from += 8) {
      std::uint64_t letters = 0;
      for (std::size_t k = 0; k < 8; ++k) letters = letters << 8 | code[from[k]];
      letters = pack_eight(letters, width);
      if (bits < left) {
        word |= letters << (left -= bits);
        continue;
      }
      std::size_t const over = bits - left;
      *to++ = word | letters >> over;
      left = 64 - over;
      word = over == 0 ? 0 : letters << left;
    }
  }
};

/// A packed text in a backend's memory. Takes n/4 bytes for up to four letters, at most n, and n/8 for the breaks; n more while
/// it is made. For tokens see packed_memory.
template <Backend B>
class packed_text {
 public:
  packed_text(B& backend, text const& input) : size_(input.size()), breaks_(backend, input.size(), input.starts) {
    with_residues(input, [&](auto residues) { pack(backend, backend.upload(residues).span()); });
  }
  /// Packs a text of bytes with the other members of a group: each packs a part, and collects those of all. Collective.
  /// @param share  see member_share
  template <class Share>
  packed_text(B& backend, text const& input, Share& share) : size_(input.size()), breaks_(backend, input.size(), input.starts) {
    constexpr std::size_t block = pack_block::size;
    std::size_t const blocks = (size_ + block - 1) / block, members = share.members.size(), rank = share.members.rank();
    auto const begin = [&](std::size_t m) { return std::size_t(even_offset(blocks, members, m)); };
    std::size_t const first = std::min(size_, begin(rank) * block), end = std::min(size_, begin(rank + 1) * block);
    std::span const residues(reinterpret_cast<unsigned char const*>(input.residues.data()), size_);
    auto const part = backend.upload(residues.subspan(first, end - first));
    byte_set present;
    for (byte_set const member_bytes : share.members.all_gather(bytes_in(backend, part.span())))
      present = union_of_sets{}(present, member_bytes);
    number_letters(present);
    std::vector<std::uint64_t> counts;  // counts of words
    for (std::size_t m = 0; m < members; ++m) counts.push_back((begin(m + 1) - begin(m)) * letter_bits_);
    counts.back() += words_beyond;
    auto const own = backend.template buffer<std::uint64_t>(std::size_t(counts[rank]));
    write_words(backend, part.span(), own.span());
    words_ = backend.template buffer<std::uint64_t>(blocks * letter_bits_ + words_beyond);
    share.collect(backend, counts, std::span<std::uint64_t const>(own.span()), words_.span());
  }
  /// @param residues  in the backend's memory
  /// @param starts  as those of a text
  packed_text(B& backend, std::span<unsigned char const> residues, std::span<std::uint64_t const> starts)
      : size_(residues.size()), breaks_(backend, residues.size(), starts) {
    pack(backend, residues);
  }

  packed_text(packed_text const&) = delete;  // on the CPU, members refer to each other
  packed_text& operator=(packed_text const&) = delete;

  /// Returns a view with keys of 64 bits.
  [[nodiscard]] packed_view view() const { return make_view(letters_in(64, is_dense()), is_dense()); }
  /// Returns a view with keys for the first sort of all suffixes. Suffixes that cannot be distinguished by 8 bits more than all
  /// positions need are in repeats, where more letters help little; and radix sorts cost by bytes. If there are many ranges,
  /// the keys of one differ in 4 bits less, and 5 bits more suffice. A nucleotide carries two bits, even if a text has a few
  /// other letters. Workers sort by the bits that differ, for any length of keys; but they compute keys letter by letter.
  [[nodiscard]] packed_view first_view() const {
    if (has_workers<B>) return make_view(letters_in(64, false), false);
    unsigned const tells = letters_ <= 16 ? 2 : letter_bits_, whole = letters_in(64, is_dense());
    bool const in_ranges = size_ > max_at_once(device::gpu);
    unsigned const wanted = (unsigned(std::bit_width(size_)) + (in_ranges ? 5 : 8) + tells - 1) / tells;
    for (unsigned bits = in_ranges ? 12 : 8; bits < 64; bits += 8)
      if (unsigned const letters = letters_in(bits, is_dense()); letters >= wanted && letters < whole)
        return make_view(letters, is_dense());
    return make_view(whole, is_dense());
  }
  [[nodiscard]] record_breaks<B> const& breaks() const { return breaks_; }
  /// Waits until the text is complete, for other backends, which do not share this one's order of work.
  void finish(B& backend) const {
    std::uint64_t last = 0;
    backend.download(std::span<std::uint64_t const>(words_.span().last(1)), std::span<std::uint64_t>(&last, 1));
  }
  /// Returns the bytes that occur; none for tokens.
  [[nodiscard]] std::span<unsigned char const> bytes() const {
    return std::span<unsigned char const>(byte_of_).first(residue_bytes_ == 1 ? letters_ : 0);
  }
  /// Returns the number of letters that occur.
  [[nodiscard]] std::size_t letters() const { return letters_; }
  /// Returns the bytes of a residue, before it was packed.
  [[nodiscard]] unsigned residue_bytes() const { return residue_bytes_; }
  /// Returns the number of residues.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t records() const { return breaks_.bounds().size() - 1; }

 private:
  static constexpr std::size_t words_beyond = 2;  // words that may be read

  [[nodiscard]] bool is_dense() const { return letters_ == dense::alphabet; }
  /// Returns the number of letters in a key of `bits` bits, besides its length.
  [[nodiscard]] unsigned letters_in(unsigned bits, bool is_dense) const {
    unsigned letters = is_dense ? dense::max_letters : bits / letter_bits_;
    while (packed_view::bits_for(letters, letter_bits_, is_dense) + unsigned(std::bit_width(letters)) > bits ||
           (is_dense && !dense::possible(letters)))
      --letters;
    return letters;
  }
  [[nodiscard]] packed_view make_view(unsigned letters, bool is_dense) const {
    return {words_.data(), breaks_.mask(), byte_of_uploaded_.data(), letter_bits_, unsigned(std::bit_width(letters)),
            letters,       is_dense};
  }

  void pack(B& backend, std::span<unsigned char const> residues) {
    number_letters(bytes_in(backend, residues));
    words_ = backend.template buffer<std::uint64_t>(words_of_text());
    write_words(backend, residues, words_.span());
  }
  static byte_set bytes_in(B& backend, std::span<unsigned char const> residues) {
    using in_block = std::conditional_t<has_workers<B>, bytes_marked_in_block, bytes_in_block>;
    std::size_t const n = residues.size();
    return backend.reduce((n + in_block::size - 1) / in_block::size, in_block{residues.data(), n}, byte_set{}, union_of_sets{});
  }
  /// Writes the words of a part of the text, and uploads its letters.
  void write_words(B& backend, std::span<unsigned char const> residues, std::span<std::uint64_t> words) {
    auto const codes = backend.upload(std::span<unsigned char const>(code_of_));
    byte_of_uploaded_ = backend.upload(std::span<unsigned char const>(byte_of_));
    if constexpr (has_workers<B>) {
      std::size_t const blocks = residues.size() / pack_block::size;
      backend.each(blocks, pack_block{residues.data(), codes.data(), letter_bits_, words.data()});
      residues = residues.subspan(blocks * pack_block::size);
      words = words.subspan(blocks * letter_bits_);
    }
    write_words(backend, residues, byte_code{codes.data()}, words);
  }
  template <class Token>
  void pack(B& backend, std::span<Token const> tokens) {
    residue_bytes_ = sizeof(Token);
    token_alphabet<B, Token> const alphabet(backend, tokens);
    set_letters(alphabet.size());
    words_ = backend.template buffer<std::uint64_t>(words_of_text());
    alphabet.use_code([&](auto code) { write_words(backend, tokens, code, words_.span()); });
  }
  template <class Residue, class Code>
  void write_words(B& backend, std::span<Residue const> residues, Code code, std::span<std::uint64_t> words) const {
    backend.each(words.size(), pack_letters<Residue, Code>{residues.data(), residues.size(), code, letter_bits_, words.data()});
  }
  [[nodiscard]] std::size_t words_of_text() const { return (size_ * letter_bits_ + 63) / 64 + words_beyond; }

  void number_letters(byte_set present) {
    unsigned sigma = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (!present.has(byte)) continue;
      code_of_[byte] = static_cast<unsigned char>(sigma);
      byte_of_[sigma++] = static_cast<unsigned char>(byte);
    }
    set_letters(sigma);
  }
  void set_letters(std::size_t count) {
    letters_ = count;
    letter_bits_ = count <= 4 ? 2u : unsigned(std::bit_width(count - 1));
  }

  std::size_t size_;
  record_breaks<B> breaks_;
  std::array<unsigned char, 256> code_of_{}, byte_of_{};
  std::size_t letters_ = 0;
  unsigned letter_bits_ = 2;
  unsigned residue_bytes_ = 1;
  buffer<std::uint64_t> words_;
  buffer<unsigned char const> byte_of_uploaded_;
};

/// Unpacks the bytes of a text from `first` on.
struct unpack_letters {
  packed_view text;
  std::size_t first;
  char* to;
  ORDO_FN void operator()(std::size_t i) const { to[i] = char(text.byte(first + i)); }
};

/// The comparison of the letters from two positions of a text on, as many as 64 bits hold.
struct letters_compared {
  unsigned agree;  // number of equal letters before they differ or a record ends
  bool differ;     // whether they differ or a record ends
  bool is_less;    // whether the second one is smaller; of two equal ones it is not
};

/// @param p, q  positions inside two suffixes, or at their ends
ORDO_FN inline letters_compared compare_letters(packed_view const& text, std::size_t p, std::size_t q) {
  unsigned const bits = text.letter_bits, all = 64 / bits;
  std::uint64_t const a = bits_from(text.words, p * bits), b = bits_from(text.words, q * bits);
  unsigned agree = leading_zeros(a ^ b) / bits;
  if (agree > all) agree = all;
  if (!text.breaks.are_far(p) || !text.breaks.are_far(q)) {
    unsigned const left_of_p = text.breaks.distance(p), left_of_q = text.breaks.distance(q);
    unsigned const shorter = left_of_p < left_of_q ? left_of_p : left_of_q;
    if (shorter <= agree) return {shorter, true, left_of_q < left_of_p};
  }
  if (agree == all) return {all, false, false};
  return {agree, true, (b << agree * bits) < (a << agree * bits)};
}

}  // namespace ordo::inline v0::suffix::detail
