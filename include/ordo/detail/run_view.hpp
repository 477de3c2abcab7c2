#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"

#pragma GCC visibility push(default)

/// A BWT of DNA as runs in blocks of 64 bytes, each with counts and pointers, so that a step of backward search reads one
/// block.
namespace ordo::inline v0::suffix::run_length {

/// Codes of letters in a text and in a BWT: the end of a record, then the letters (dna_codes.hpp). A part of a record whose
/// rest is in the index ends with `continued`.
enum : unsigned { end_code = 0, n_code = 5, continued_code = 7 };
inline constexpr unsigned num_codes = 6;
inline constexpr unsigned letter_bits = 3;
inline constexpr unsigned letter_mask = (1U << letter_bits) - 1;

/// A block. Its pieces fill three words, each as 8, 4 or 2 lanes; a piece is a lane with the code of a letter in its lowest
/// three bits and a number of rows in the others. A run has as many pieces as it needs.
struct alignas(64) run_block {
  static constexpr unsigned num_words = 3, max_pieces = 8 * num_words, num_kinds = 3;
  /// So that 32 bits count the rows of block_group blocks.
  static constexpr std::uint32_t max_rows = (std::uint32_t{1} << 20) - 1;

  std::uint32_t before[5];   // rows, and A, C, G and T in them, before the block in its group of blocks
  std::uint32_t pointer[4];  // for A, C, G and T: the block of the row that the block's first such letter maps to
  std::uint32_t shape;       // number of rows, and above them the kind
  std::uint64_t words[num_words];

  [[nodiscard]] ORDO_FN std::uint32_t rows() const { return shape & max_rows; }
  /// Returns 0, 1 or 2 for lanes of 8, 16 or 32 bits.
  [[nodiscard]] ORDO_FN unsigned kind() const { return shape >> 20 & 3; }
  ORDO_FN static constexpr unsigned lane_bits(unsigned kind) { return 8U << kind; }
  ORDO_FN static constexpr unsigned capacity(unsigned kind) { return max_pieces >> kind; }
  /// Returns the maximum of rows of a piece.
  ORDO_FN static constexpr std::uint32_t piece_rows(unsigned kind) {
    return kind == 0 ? 31 : kind == 1 ? (std::uint32_t{1} << 13) - 1 : max_rows;
  }
  [[nodiscard]] ORDO_FN std::uint32_t piece(unsigned kind, unsigned i) const {
    unsigned const lanes = 3 - kind, bits = lane_bits(kind);  // 2^lanes lanes in a word
    return std::uint32_t(words[i >> lanes] >> ((i & ((1U << lanes) - 1)) * bits) & (~std::uint64_t{0} >> (64 - bits)));
  }
};
static_assert(sizeof(run_block) == 64);

/// Counts of rows and of A, C, G and T before a group of blocks.
struct group_counts {
  static constexpr unsigned shift = 12;  // 2^shift blocks
  std::uint64_t before[5];
};

namespace detail {

/// Arithmetic on the lanes of a word.
template <unsigned Bits>
struct lanes {
  static constexpr std::uint64_t ones = Bits == 8 ? 0x0101010101010101 : Bits == 16 ? 0x0001000100010001 : 0x0000000100000001;
  static constexpr std::uint64_t high = ones << (Bits - 1);
  static constexpr std::uint64_t lane = ~std::uint64_t{0} >> (64 - Bits);
  static constexpr std::uint64_t letters = ones * letter_mask, lengths = (ones * lane) & ~letters;

  ORDO_FN static std::uint64_t piece_lengths(std::uint64_t word) { return (word & lengths) >> letter_bits; }
  /// Adds up all lanes, if the sum fits one.
  ORDO_FN static std::uint64_t sum(std::uint64_t word) { return (word * ones) >> (64 - Bits); }
  /// Returns a word with a one in each lane of this letter: a code minus another has the bit above the codes if, and only if,
  /// it is added to a zero.
  ORDO_FN static std::uint64_t equal(std::uint64_t word, std::uint64_t letter) {
    return (((ones << letter_bits) - ((word & letters) ^ (letter * ones))) >> letter_bits) & ones;
  }
  /// Returns the lanes, as ones, whose pieces end at a row of a word or before.
  ORDO_FN static std::uint64_t whole(std::uint64_t word, std::uint64_t rows) {
    std::uint64_t const ends = piece_lengths(word) * ones, row = rows * ones, low = (row | high) - (ends & ~high);
    return (((row & ~ends) | (~(row ^ ends) & low)) & high) >> (Bits - 1);
  }
  /// Counts a letter in the first rows of a word. @param rows  at most as many as it has
  ORDO_FN static std::uint64_t count(std::uint64_t word, std::uint64_t letter, std::uint64_t rows) {
    std::uint64_t const length = piece_lengths(word), is_letter = equal(word, letter), is_whole = whole(word, rows);
    std::uint64_t const whole_length = length & (is_whole * lane);
    unsigned const next = unsigned(sum(is_whole)) * Bits;  // the piece that the last rows are in; none: 64
    std::uint64_t const in_piece = rows - sum(whole_length);
    return sum(whole_length & (is_letter * lane)) + (in_piece & (0 - (is_letter >> (next & 63) & 1)));
  }
};

/// Returns the first, the second or the third word. @param after_first, after_second  all ones if it is one after those
ORDO_FN inline std::uint64_t word_after(run_block const& block, std::uint64_t after_first, std::uint64_t after_second) {
  // By no address that depends on the row: a block may be in registers.
  return (block.words[0] & ~after_first) | (block.words[1] & after_first & ~after_second) | (block.words[2] & after_second);
}

template <unsigned Bits>
ORDO_FN std::uint64_t count_in(run_block const& block, unsigned letter, std::uint64_t rows) {
  using lanes = lanes<Bits>;
  // Two words as wholes, and the one that the last row is in. No branch depends on the row, which is as good as random.
  std::uint64_t const first = lanes::piece_lengths(block.words[0]), second = lanes::piece_lengths(block.words[1]);
  std::uint64_t const first_rows = lanes::sum(first), both_rows = first_rows + lanes::sum(second);
  std::uint64_t const in_first = lanes::sum(first & (lanes::equal(block.words[0], letter) * lanes::lane));
  std::uint64_t const in_second = lanes::sum(second & (lanes::equal(block.words[1], letter) * lanes::lane));
  std::uint64_t const after_first = 0 - std::uint64_t(rows >= first_rows), after_second = 0 - std::uint64_t(rows >= both_rows);
  std::uint64_t const word = word_after(block, after_first, after_second);
  std::uint64_t const left = rows - (first_rows & after_first) - ((both_rows - first_rows) & after_second);
  return (in_first & after_first) + (in_second & after_second) + lanes::count(word, letter, left);
}

}  // namespace detail

/// Counts a letter in the first `rows` rows of a block.
ORDO_FN inline std::uint64_t count_in(run_block const& block, unsigned letter, std::uint64_t rows) {
  switch (block.kind()) {
    case 0:
      return detail::count_in<8>(block, letter, rows);
    case 1:
      return detail::count_in<16>(block, letter, rows);
    default:
      return detail::count_in<32>(block, letter, rows);
  }
}

namespace detail {

template <unsigned Bits>
ORDO_FN void count_in_both(run_block const& block, unsigned letter, std::uint64_t rows, std::uint64_t more, std::uint64_t& low,
                           std::uint64_t& high) {
  low = count_in<Bits>(block, letter, rows);  // both share the sums of words
  high = count_in<Bits>(block, letter, more);
}

}  // namespace detail

/// Counts a letter in the first `rows` rows of a block, and in the first `more` rows.
ORDO_FN inline void count_in_both(run_block const& block, unsigned letter, std::uint64_t rows, std::uint64_t more,
                                  std::uint64_t& low, std::uint64_t& high) {
  switch (block.kind()) {
    case 0:
      return detail::count_in_both<8>(block, letter, rows, more, low, high);
    case 1:
      return detail::count_in_both<16>(block, letter, rows, more, low, high);
    default:
      return detail::count_in_both<32>(block, letter, rows, more, low, high);
  }
}

/// A row of a block.
struct run_row {
  unsigned letter = end_code;
  std::uint64_t rows = 0;    // rows of the same piece from this one on; 0: the block has no such row
  std::uint64_t before = 0;  // rows of the block before it that have this letter
};

namespace detail {

template <unsigned Bits>
ORDO_FN run_row row_at(run_block const& block, std::uint64_t row) {
  using lanes = lanes<Bits>;
  std::uint64_t const first = lanes::piece_lengths(block.words[0]), second = lanes::piece_lengths(block.words[1]);
  std::uint64_t const first_rows = lanes::sum(first), both_rows = first_rows + lanes::sum(second);
  std::uint64_t const after_first = 0 - std::uint64_t(row >= first_rows), after_second = 0 - std::uint64_t(row >= both_rows);
  std::uint64_t const word = word_after(block, after_first, after_second);
  std::uint64_t const left = row - (first_rows & after_first) - ((both_rows - first_rows) & after_second);
  std::uint64_t const length = lanes::piece_lengths(word), is_whole = lanes::whole(word, left);
  unsigned const at = unsigned(lanes::sum(is_whole)) * Bits;  // the piece of the row
  if (at >= 64) return {};                                    // there is none: the index is damaged
  unsigned const letter = unsigned(word >> at) & letter_mask;
  std::uint64_t const whole_length = length & (is_whole * lanes::lane), in_piece = left - lanes::sum(whole_length);
  std::uint64_t const in_first = lanes::sum(first & (lanes::equal(block.words[0], letter) * lanes::lane)),
                      in_second = lanes::sum(second & (lanes::equal(block.words[1], letter) * lanes::lane)),
                      in_word = lanes::sum(whole_length & (lanes::equal(word, letter) * lanes::lane));
  return {letter, (length >> at & lanes::lane) - in_piece,
          (in_first & after_first) + (in_second & after_second) + in_word + in_piece};
}

}  // namespace detail

/// Reads a row of a block.
ORDO_FN inline run_row row_at(run_block const& block, std::uint64_t row) {
  switch (block.kind()) {
    case 0:
      return detail::row_at<8>(block, row);
    case 1:
      return detail::row_at<16>(block, row);
    default:
      return detail::row_at<32>(block, row);
  }
}

/// An index in the memory of the machine that searches it. Holds pointers only.
struct run_view {
  run_block const* blocks = nullptr;
  group_counts const* groups = nullptr;
  std::uint64_t const* ends = nullptr;       // the rows whose letter is the end of a record, in order
  std::uint32_t const* directory = nullptr;  // the block of each 2^directory_shift-th row, and the last one; may be null
  unsigned directory_shift = 0;
  std::uint64_t num_blocks = 0, num_ends = 0, rows = 0;
  std::uint64_t first[num_codes + 1] = {};  // the first row of each letter; then the number of rows

  [[nodiscard]] ORDO_FN std::uint64_t begin(std::uint64_t block) const {
    return groups[block >> group_counts::shift].before[0] + blocks[block].before[0];
  }
  [[nodiscard]] ORDO_FN std::uint64_t end(std::uint64_t block) const { return begin(block) + blocks[block].rows(); }

  /// Returns the number of rows before `row` whose letter is the end of a record.
  [[nodiscard]] ORDO_FN std::uint64_t ends_before(std::uint64_t row) const {
    std::uint64_t low = 0, high = num_ends;
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (ends[middle] < row)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  /// Returns how often a letter occurs before a block.
  [[nodiscard]] ORDO_FN std::uint64_t before(std::uint64_t block, unsigned letter) const {
    auto const& group = groups[block >> group_counts::shift].before;
    auto const& in_group = blocks[block].before;
    if (letter - 1 < 4) return group[letter] + in_group[letter];
    std::uint64_t const row = begin(block), others = ends_before(row);
    if (letter == end_code) return others;
    std::uint64_t sum = row - others;
    for (unsigned c = 1; c <= 4; ++c) sum -= group[c] + in_group[c];
    return sum;
  }

  /// Returns the block of a row, or the last one for the number of rows. @pre there are blocks
  [[nodiscard]] ORDO_FN std::uint64_t find(std::uint64_t row) const {
    if (directory) return find_near(row);
    std::uint64_t low = 0, high = (num_blocks - 1) >> group_counts::shift;
    while (low < high) {
      std::uint64_t const middle = high - (high - low) / 2;
      if (groups[middle].before[0] <= row)
        low = middle;
      else
        high = middle - 1;
    }
    std::uint64_t const group = low, base = groups[group].before[0];
    low = group << group_counts::shift;
    high = low + (std::uint64_t{1} << group_counts::shift) - 1;
    if (high >= num_blocks) high = num_blocks - 1;
    return find(row - base, low, high);
  }
  /// Returns a block that is near that of a row. @pre there is a directory
  [[nodiscard]] ORDO_FN std::uint64_t near(std::uint64_t row) const {
    std::uint64_t const block = directory[(row < rows ? row : rows) >> directory_shift];
    return block < num_blocks ? block : num_blocks - 1;
  }
  /// Returns the block of a row, near a block that is not after it.
  [[nodiscard]] ORDO_FN std::uint64_t seek(std::uint64_t block, std::uint64_t row) const {
    if (block >= num_blocks) return find(row);  // the index is damaged
    for (unsigned hops = 0; hops < 4; ++hops, ++block)
      if (row < end(block) || block + 1 == num_blocks) return block;
    return find(row);
  }

  /// Prefetches a block that `guess` has returned, and the next one, which the row may be in.
  ORDO_FN void prefetch(std::uint64_t block) const {
    if (block >= num_blocks) return;
    ordo::prefetch(blocks + block);
    ordo::prefetch(blocks + block + 1);
  }

  /// Maps the row of a gap to that before which a suffix with one more letter comes.
  /// @param block  the block of the row
  [[nodiscard]] ORDO_FN std::uint64_t step(unsigned letter, std::uint64_t row, std::uint64_t block) const {
    return first[letter] + before(block, letter) + count_in(blocks[block], letter, row - begin(block));
  }
  /// Returns how often a letter occurs before a row of a block.
  [[nodiscard]] ORDO_FN std::uint64_t rank(unsigned letter, std::uint64_t row, std::uint64_t block) const {
    return before(block, letter) + count_in(blocks[block], letter, row - begin(block));
  }
  /// Returns the letter of a row of a block.
  [[nodiscard]] ORDO_FN unsigned letter(std::uint64_t row, std::uint64_t block) const { return read(row, block).letter; }
  /// Reads a row of a block.
  [[nodiscard]] ORDO_FN run_row read(std::uint64_t row, std::uint64_t block) const {
    return row_at(blocks[block], row - begin(block));
  }
  /// Returns a block that is not after that of a row which `step` has returned. @param block  from which it came
  [[nodiscard]] ORDO_FN std::uint64_t guess(unsigned letter, std::uint64_t row, std::uint64_t block) const {
    return letter - 1 < 4 ? blocks[block].pointer[letter - 1] : find(row);
  }

 private:
  // Reads what the directory says, but no block that is not there, whatever it says.
  [[nodiscard]] ORDO_FN std::uint64_t find_near(std::uint64_t row) const {
    std::uint64_t const entry = (row < rows ? row : rows) >> directory_shift, last = num_blocks - 1;
    std::uint64_t low = directory[entry], high = directory[entry + 1];
    if (high > last) high = last;
    if (low > high) low = high;
    while (low < high) {
      if (high - low < 4) {
        if (row < end(low)) break;
        ++low;
        continue;
      }
      std::uint64_t const middle = high - (high - low) / 2;
      if (begin(middle) <= row)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
  // Finds the block of a row among the blocks [low, high] of a group.
  [[nodiscard]] ORDO_FN std::uint64_t find(std::uint64_t row_in_group, std::uint64_t low, std::uint64_t high) const {
    while (low < high) {
      std::uint64_t const middle = high - (high - low) / 2;
      if (blocks[middle].before[0] <= row_in_group)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
};

}  // namespace ordo::inline v0::suffix::run_length
#pragma GCC visibility pop
