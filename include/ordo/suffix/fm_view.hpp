#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "ordo/detail/load.hpp"
#include "ordo/detail/run_view.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/text_letters.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// An interval of the rows of all suffixes and, before them, of the ends of records.
struct fm_interval {
  std::uint64_t begin = 0, end = 0;
  [[nodiscard]] ORDO_FN bool empty() const noexcept { return begin >= end; }
};

/// The symbols of an FM index: the end of a record, and the bytes of the text.
struct fm_symbols {
  static constexpr std::size_t max_symbols = 257;
  static constexpr std::uint8_t in_runs = 4;
  struct run_list {  // the rows of a symbol that is in no bit plane
    std::uint64_t at = 0, count = 0;
  };

  std::array<std::uint16_t, 256> of_byte{};            // 0: the text does not have it
  std::array<std::uint64_t, max_symbols + 1> first{};  // the first row of each symbol; then the number of rows
  // The packed layout has bit planes for four symbols, and runs for the others.
  std::array<std::uint16_t, 4> common{};            // 0: none
  std::array<std::uint8_t, max_symbols> code{};     // in_runs: none
  std::array<run_list, max_symbols> runs{};         // where they begin in the file
  std::array<std::uint16_t, max_symbols> listed{};  // the symbols in runs
  std::size_t num_listed = 0;
  std::array<std::uint8_t, 256> code_of_byte{};  // in_runs: none
};

/// The parts of an FM index (fm_index.hpp) in the memory of the machine that searches it. Holds pointers only. Numbers are
/// checked before use: nothing outside of the file is read, whatever it holds.
class fm_view {
 public:
  /// The result of a step from a row to that of the letter before: another row, a position, or a number that no index has.
  enum class outcome : std::uint8_t { row, position, bad_position, bad_record, bad_symbol, bad_count, endless };
  /// The way from a row to a row whose position is stored, or to the start of a record.
  struct walk {
    std::uint64_t first, row, steps = 0;
    std::uint64_t position = 0;               // the result; or what is bad
    std::uint64_t block = ~std::uint64_t{0};  // in runs, a block that is not after that of the row, if known
  };

  [[nodiscard]] ORDO_FN fm_interval all_rows() const noexcept { return {0, rows}; }
  /// Computes the interval of a letter followed by the string of `of`: a step of backward search.
  /// @returns false for counts that no BWT has
  ORDO_FN bool step(char letter, fm_interval of, fm_interval& to) const noexcept {
    std::size_t const symbol = symbols->of_byte[static_cast<unsigned char>(letter)];
    to = {};
    if (symbol == 0 || of.begin > of.end || of.end > rows) return true;
    std::uint64_t const first = symbols->first[symbol];
    if (in_runs) {
      std::uint64_t const block = runs.find(of.begin), end = of.end < runs.end(block) ? block : runs.find(of.end);
      to = {first + runs.rank(unsigned(symbol), of.begin, block), first + runs.rank(unsigned(symbol), of.end, end)};
    } else {
      to = {first + rank(symbol, of.begin), first + rank(symbol, of.end)};
    }
    return to.begin <= to.end && to.end <= symbols->first[symbol + 1];
  }
  /// Returns the interval of the last letters of a string, as many as the table of k-mers has, and sets `left` to the number of
  /// letters before these. Without a table, or for other letters than the four most frequent ones, those are no letters.
  [[nodiscard]] ORDO_FN fm_interval last_letters(char const* string, std::size_t size, std::size_t& left) const noexcept {
    left = size;
    if (kmer_length == 0 || size < kmer_length) return all_rows();
    std::size_t word = 0;
    for (std::size_t i = size - kmer_length; i < size; ++i) {
      std::size_t const code = symbols->code_of_byte[static_cast<unsigned char>(string[i])];
      if (code == fm_symbols::in_runs) return all_rows();
      word = word << 2 | code;
    }
    left = size - kmer_length;
    return kmers[word];
  }
  /// Returns its rows of suffixes.
  [[nodiscard]] ORDO_FN fm_interval suffixes(fm_interval of) const noexcept {
    std::uint64_t const begin = of.begin < records ? records : of.begin, end = of.end < begin ? begin : of.end;
    return {begin - records, end - records};
  }
  /// Takes a step. @pre the row of a suffix
  ORDO_FN outcome step(walk& walk) const noexcept {
    if (walk.row % sample == 0) return end_walk(walk, samples[walk.row / sample], outcome::bad_position);
    std::uint64_t const all_row = walk.row + records;
    run_length::run_row in_run;
    if (in_runs) {
      walk.block = runs.seek(walk.block, all_row);
      in_run = runs.read(all_row, walk.block);
    }
    std::size_t const symbol = in_runs ? in_run.letter : symbol_at(all_row);
    if (symbol >= num_symbols) return outcome::bad_symbol;
    std::uint64_t const below =
        in_runs ? runs.before(walk.block, unsigned(symbol)) + in_run.before : rank(symbol, all_row);
    if (below >= symbols->first[symbol + 1] - symbols->first[symbol]) return outcome::bad_count;
    if (symbol == 0) {
      std::uint64_t const record = ends[below];
      return end_walk(walk, record >= records ? residues : starts ? starts[record] : 0, outcome::bad_record);
    }
    walk.row = symbols->first[symbol] + below - records;
    if (in_runs) walk.block = runs.guess(unsigned(symbol), walk.row + records, walk.block);
    return ++walk.steps > residues ? outcome::endless : outcome::row;
  }
  /// Prefetches what the next step from a row or an interval reads.
  ORDO_FN void prefetch(std::uint64_t row) const noexcept {
    if (in_runs) return ordo::prefetch(runs.blocks + runs.near(row));
    char const* const block = block_at(row);
    ordo::prefetch(block);
    if (!packed) ordo::prefetch(block + 64);
  }
  ORDO_FN void prefetch(walk const& of) const noexcept {
    if (of.row % sample == 0)
      ordo::prefetch(samples.data() + of.row / sample * (samples.width() / 8));
    else if (in_runs && of.block < runs.num_blocks)
      ordo::prefetch(runs.blocks + of.block);
    else
      prefetch(of.row + records);
  }
  ORDO_FN void prefetch(fm_interval of) const noexcept {
    prefetch(of.begin);
    prefetch(of.end);
  }

  // The packed layout: a block of 64 bytes holds four counts and two planes of three words.
  static constexpr std::uint64_t packed_rows = 192, packed_bytes = 64, packed_words = packed_rows / 64, packed_planes_at = 16;
  static constexpr unsigned packed_super_shift = 23;                   // a super block has fewer than 2^31 rows
  static constexpr std::uint32_t has_listed = std::uint32_t{1} << 31;  // in the first count: rows of the block are in runs
  static constexpr unsigned super_shift = 31;  // counts of a block start anew after 2^31 rows, so that they fit 32 bits

  /// Returns the number of rows before `row`, which may be the number of rows, whose letter is a symbol.
  [[nodiscard]] ORDO_FN std::uint64_t rank(std::size_t symbol, std::uint64_t row) const noexcept {
    if (in_runs) return runs.rank(unsigned(symbol), row, runs.find(row));
    if (!packed) return rank_in_block(symbol, row);
    std::size_t const code = symbols->code[symbol];
    return code == fm_symbols::in_runs ? rank_in_runs(symbol, row) : rank_of_code(code, row);
  }

  fm_symbols const* symbols = nullptr;
  char const *file = nullptr, *super = nullptr, *blocks = nullptr;
  entries ends, samples;
  std::uint64_t const* starts = nullptr;  // starts of records; null: there is one
  std::uint64_t residues = 0, records = 0, rows = 0, sample = 1;
  std::size_t num_symbols = 0, planes = 0, block_rows = 1, block_bytes = 0;
  bool packed = false;
  bool in_runs = false;
  run_length::run_view runs;  // the layout of runs
  // The table of k-mers, by the codes of their letters, the first letter's the most significant one.
  fm_interval const* kmers = nullptr;
  std::size_t kmer_length = 0;  // 0: no table

 private:
  static constexpr std::uint64_t all_ones = ~std::uint64_t{0};

  [[nodiscard]] ORDO_FN static std::uint64_t word_at(char const* at, std::size_t i) noexcept {
    return load_value<std::uint64_t>(at + 8 * i);
  }
  [[nodiscard]] ORDO_FN static std::uint32_t count_at(char const* at, std::size_t i) noexcept {
    return load_value<std::uint32_t>(at + 4 * i);
  }
  /// Returns the number of bits that are set in three words. Only some processors of x86-64 have an instruction for that, and
  /// without it a compiler calls a function for each word.
  [[nodiscard]] ORDO_FN static std::uint64_t count_bits(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept {
    constexpr std::uint64_t odd = 0x5555555555555555, pairs = 0x3333333333333333, nibbles = 0x0f0f0f0f0f0f0f0f;
    auto const in_nibbles = [](std::uint64_t word) {
      word -= word >> 1 & odd;
      return (word & pairs) + (word >> 2 & pairs);
    };
    std::uint64_t const sums = in_nibbles(a ^ b ^ c) + 2 * in_nibbles((a & b) | (c & (a ^ b)));  // up to 12
    return ((sums & nibbles) + (sums >> 4 & nibbles)) * 0x0101010101010101 >> 56;
  }

  [[nodiscard]] ORDO_FN char const* block_at(std::uint64_t row) const noexcept {
    return packed ? blocks + row / packed_rows * packed_bytes : blocks + row / block_rows * block_bytes;
  }
  [[nodiscard]] ORDO_FN char const* planes_at(char const* block) const noexcept {
    return block + (num_symbols * 4 + 7) / 8 * 8;
  }

  [[nodiscard]] ORDO_FN std::uint64_t rank_in_block(std::size_t symbol, std::uint64_t row) const noexcept {
    char const* const block = block_at(row);
    std::uint64_t sum = word_at(super, (row >> super_shift) * num_symbols + symbol) + count_at(block, symbol);
    char const* const bit_planes = planes_at(block);
    std::size_t const inside = std::size_t(row % block_rows), words = block_rows / 64;
    for (std::size_t w = 0; w * 64 < inside; ++w) {
      std::uint64_t equal = all_ones;
      for (std::size_t plane = 0; plane < planes; ++plane) {
        std::uint64_t const bits = word_at(bit_planes, plane * words + w);
        equal &= (symbol >> plane & 1) != 0 ? bits : ~bits;
      }
      std::size_t const left = inside - w * 64;
      if (left < 64) equal &= (std::uint64_t{1} << left) - 1;
      sum += count_bits(equal, 0, 0);
    }
    return sum;
  }

  [[nodiscard]] ORDO_FN std::uint64_t rank_of_code(std::size_t code, std::uint64_t row) const noexcept {
    std::uint64_t const block = row / packed_rows, inside = row % packed_rows;
    char const* const at = blocks + block * packed_bytes;
    std::uint32_t const flag = count_at(at, 0) & has_listed;
    std::uint64_t sum = word_at(super, (block >> packed_super_shift) * 4 + code) + (count_at(at, code) & ~has_listed);
    std::uint64_t const flip_low = (code & 1) != 0 ? 0 : all_ones, flip_high = (code & 2) != 0 ? 0 : all_ones;
    // No branch depends on the row, which is as good as random.
    static_assert(packed_words == 3);
    std::uint64_t const last = (std::uint64_t{1} << (inside % 64)) - 1;
    auto const equal = [&](std::size_t w) {
      return (word_at(at + packed_planes_at, w) ^ flip_low) & (word_at(at + packed_planes_at, packed_words + w) ^ flip_high);
    };
    sum += count_bits(equal(0) & (inside < 64 ? last : all_ones),
                      equal(1) & (inside < 64    ? 0
                                  : inside < 128 ? last
                                                 : all_ones),
                      equal(2) & (inside < 128 ? 0 : last));
    if (code == 0 && flag != 0)  // rows of other letters have code 0, too
      for (std::size_t i = 0; i < symbols->num_listed; ++i)
        sum -= rank_in_runs(symbols->listed[i], row) - rank_in_runs(symbols->listed[i], row - inside);
    return sum;
  }

  [[nodiscard]] ORDO_FN std::uint64_t rank_in_runs(std::size_t symbol, std::uint64_t row) const noexcept {
    fm_symbols::run_list const runs = symbols->runs[symbol];
    char const* const at = file + runs.at;
    std::uint64_t low = 0, high = runs.count;  // runs below low begin before the row
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (word_at(at, 2 * middle) < row)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == 0) return 0;
    std::uint64_t const begin = word_at(at, 2 * (low - 1)), before = word_at(at, 2 * (low - 1) + 1);
    std::uint64_t const after =
        low == runs.count ? symbols->first[symbol + 1] - symbols->first[symbol] : word_at(at, 2 * low + 1);
    return before + (row - begin < after - before ? row - begin : after - before);
  }

  // Returns a number that is no symbol for a row that a damaged index gives none.
  [[nodiscard]] ORDO_FN std::size_t symbol_at(std::uint64_t row) const noexcept {
    if (packed) {
      char const* const at = blocks + row / packed_rows * packed_bytes;
      std::size_t const inside = std::size_t(row % packed_rows);
      if ((count_at(at, 0) & has_listed) != 0)
        for (std::size_t i = 0; i < symbols->num_listed; ++i)
          if (std::size_t const symbol = symbols->listed[i]; rank_in_runs(symbol, row + 1) != rank_in_runs(symbol, row))
            return symbol;
      auto const bit = [&](std::size_t word) {
        return std::size_t(word_at(at + packed_planes_at, word + inside / 64) >> (inside % 64) & 1);
      };
      std::size_t const symbol = symbols->common[bit(0) | bit(packed_words) << 1];
      return symbol == 0 ? num_symbols : symbol;
    }
    char const* const bit_planes = planes_at(block_at(row));
    std::size_t const inside = std::size_t(row % block_rows), words = block_rows / 64;
    std::size_t symbol = 0;
    for (std::size_t plane = 0; plane < planes; ++plane)
      symbol |= std::size_t(word_at(bit_planes, plane * words + inside / 64) >> (inside % 64) & 1) << plane;
    return symbol;
  }

  // Ends a walk at a position, or the start of a record, from which it took its steps.
  ORDO_FN outcome end_walk(walk& walk, std::uint64_t p, outcome if_bad) const noexcept {
    walk.position = p;
    if (p >= residues || walk.steps >= residues - p) return if_bad;
    walk.position += walk.steps;
    return outcome::position;
  }
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
