#include "ordo/suffix/fm_index.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/lent_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/records.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::array<char, 8> magic{'o', 'r', 'd', 'o', ' ', 'f', 'm', '1'},
    packed_magic{'o', 'r', 'd', 'o', ' ', 'f', 'm', '3'};
constexpr unsigned super_shift = 31;  // counts of a block start anew after 2^31 rows, so that they fit 32 bits
constexpr std::size_t header_words = 6;

// The packed layout: a block of 64 bytes holds four counts and two planes of three words.
constexpr std::uint64_t packed_rows = 192, packed_bytes = 64, packed_words = packed_rows / 64, packed_planes_at = 16;
constexpr unsigned packed_super_shift = 23;  // of blocks: fewer than 2^31 rows
constexpr std::uint64_t run_bytes = 16;
constexpr std::uint32_t has_listed = std::uint32_t{1} << 31;  // in the first count: rows of the block are in runs
constexpr std::uint8_t in_runs = 4;

constexpr std::uint64_t multiple_of(std::uint64_t unit, std::uint64_t bytes) {
  return (bytes + unit - 1) / unit * unit;
}

std::uint64_t word_at(char const* at, std::size_t i) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at + 8 * i, 8);
  return word;
}

std::uint32_t count_at(char const* at, std::size_t i) noexcept {
  std::uint32_t count;
  std::memcpy(&count, at + 4 * i, 4);
  return count;
}

/// Returns the number of bits that are set in three words. Only some processors of x86-64 have an instruction for that, and
/// without it a compiler calls a function for each word.
constexpr std::uint64_t count_bits(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept {
  constexpr std::uint64_t odd = 0x5555555555555555, pairs = 0x3333333333333333, nibbles = 0x0f0f0f0f0f0f0f0f;
  auto const in_nibbles = [](std::uint64_t word) {
    word -= word >> 1 & odd;
    return (word & pairs) + (word >> 2 & pairs);
  };
  std::uint64_t const sums = in_nibbles(a ^ b ^ c) + 2 * in_nibbles((a & b) | (c & (a ^ b)));  // up to 12
  return ((sums & nibbles) + (sums >> 4 & nibbles)) * 0x0101010101010101 >> 56;
}

}  // namespace

/// The places in the file: a header of 64-bit words (magic, rows, records, sample, bits of an entry, symbols); the byte of each
/// symbol but the first, and the count of each; counts before each 2^31 rows; blocks, each of a 32-bit count for each symbol
/// and then the bit planes of its rows; the record of each letter '$' in the order of rows; samples. Parts begin at multiples
/// of 8 bytes.
///
/// The packed layout has after the counts the code of each symbol in the bit planes, or 4, and its number of runs. Only the
/// four symbols with codes have counts before each 2^23 blocks and in blocks, which begin at multiples of 64 bytes. Behind the
/// blocks are the runs of each other symbol: its first row, and how many rows with that symbol are before it. Behind the
/// samples is the text, as text_letters takes it: two bits a letter, by the same codes, and eight bytes; then the runs of other
/// letters, which take the rest of the file.
struct fm_index::layout {
  bool packed;
  std::uint64_t rows, records, sample, width, symbols;
  std::uint64_t planes, block_rows, block_bytes, blocks, supers, counted;
  std::uint64_t symbols_at, super_at, blocks_at, runs_at, ends_at, samples_at, codes_at, text_runs_at, bytes;

  /// The parts but for the text's runs, of which there are text_runs.
  layout(bool is_packed, std::uint64_t n, std::uint64_t num_records, std::uint64_t distance, std::uint64_t entry_bits,
         std::uint64_t num_symbols, std::uint64_t runs, std::uint64_t text_runs = 0)
      : packed(is_packed),
        rows(n + num_records),
        records(num_records),
        sample(distance),
        width(entry_bits),
        symbols(num_symbols) {
    planes = packed ? 2 : std::uint64_t(std::max(1, int(std::bit_width(symbols - 1))));
    counted = packed ? 4 : symbols;
    // The counts take about a third of a block of few symbols, and less of one of many.
    block_rows = packed ? packed_rows : std::bit_ceil(std::max<std::uint64_t>(256, symbols * 32));
    block_bytes = packed ? packed_bytes : multiple_of(8, symbols * 4) + planes * (block_rows / 8);
    blocks = rows / block_rows + 1;
    supers = packed ? ((blocks - 1) >> packed_super_shift) + 1 : (rows >> super_shift) + 1;
    symbols_at = header_words * 8;
    super_at = symbols_at + (packed ? 4 : 2) * symbols * 8;
    blocks_at = super_at + supers * counted * 8;
    if (packed) blocks_at = multiple_of(packed_bytes, blocks_at);
    runs_at = blocks_at + blocks * block_bytes;
    ends_at = runs_at + runs * run_bytes;
    samples_at = ends_at + multiple_of(8, records * (width / 8));
    codes_at = samples_at + multiple_of(8, (n + sample - 1) / sample * (width / 8));
    text_runs_at = codes_at + (packed ? multiple_of(8, (n + 3) / 4) + text_letters::spare_bytes : 0);
    bytes = text_runs_at + text_runs * text_letters::run_bytes;
  }
  [[nodiscard]] std::uint64_t planes_at() const { return packed ? packed_planes_at : multiple_of(8, symbols * 4); }
  // Returns the counts that hold before a block.
  [[nodiscard]] std::uint64_t super_of(std::uint64_t block) const {
    return packed ? block >> packed_super_shift : block * block_rows >> super_shift;
  }
};

fm_index::fm_index(std::span<char const> bytes, text const& input, std::string name)
    : bytes_(bytes), starts_(input.starts), name_(std::move(name)), residues_(input.size()), records_(input.records()) {
  static_assert(max_symbols == 257);
  auto const begins_with = [&](std::array<char, 8> const& word) {
    return bytes.size() >= header_words * 8 && std::memcmp(bytes.data(), word.data(), word.size()) == 0;
  };
  packed_ = begins_with(packed_magic);
  if (!packed_ && !begins_with(magic)) refuse("it does not begin as an FM index does");
  std::array<std::uint64_t, header_words> head;
  for (std::size_t i = 0; i < head.size(); ++i) head[i] = word_at(bytes.data(), i);
  rows_ = head[1];
  sample_ = head[3];
  symbols_ = std::size_t(head[5]);
  if (rows_ != residues_ + records_ || head[2] != records_)
    refuse(fmt::format("{} rows for {} residues in {} records", rows_, residues_, records_));
  if (sample_ == 0 || sample_ > std::max<std::uint64_t>(rows_, 1) + (std::uint64_t{1} << 32) ||
      (head[4] != 32 && head[4] != 40 && head[4] != 64) || symbols_ == 0 || symbols_ > max_symbols)
    refuse("impossible sizes");
  layout at(packed_, residues_, records_, sample_, head[4], symbols_, 0);
  if (at.super_at > bytes.size()) refuse(fmt::format("{} bytes, expected {}", bytes.size(), at.bytes));
  std::uint64_t runs = 0;
  if (packed_) {
    for (std::size_t s = 0; s < symbols_; ++s)
      if (std::uint64_t const count = word_at(bytes.data() + at.symbols_at, 3 * symbols_ + s); count <= rows_ - runs)
        runs += count;
      else
        refuse("more runs than rows");
    at = layout(packed_, residues_, records_, sample_, head[4], symbols_, runs);
    if (at.bytes < bytes.size())
      at = layout(packed_, residues_, records_, sample_, head[4], symbols_, runs,
                  (bytes.size() - at.bytes) / text_letters::run_bytes);
  }
  if (at.bytes != bytes.size()) refuse(fmt::format("{} bytes, expected {}", bytes.size(), at.bytes));
  planes_ = at.planes;
  block_rows_ = at.block_rows;
  block_bytes_ = at.block_bytes;
  super_ = bytes.data() + at.super_at;
  blocks_ = bytes.data() + at.blocks_at;
  check_symbols(at);
  ends_ = entries(bytes.subspan(at.ends_at, records_ * (head[4] / 8)), unsigned(head[4]));
  if (packed_) {
    std::array<char, 4> four{};
    for (std::size_t code = 0; code < 4; ++code)
      if (common_[code] != 0) four[code] = static_cast<char>(word_at(bytes.data() + at.symbols_at, common_[code]));
    packed_text_ = text_letters(bytes.subspan(at.codes_at, at.text_runs_at - at.codes_at), bytes.subspan(at.text_runs_at), four);
  }
  samples_ = entries(bytes.subspan(at.samples_at, (residues_ + sample_ - 1) / sample_ * (head[4] / 8)), unsigned(head[4]));
}

// Reads bytes, counts, codes and runs of symbols.
void fm_index::check_symbols(layout const& at) {
  char const* const table = bytes_.data() + at.symbols_at;
  std::uint64_t below = 0, runs = 0;
  for (std::size_t s = 0; s < symbols_; ++s) {
    std::uint64_t const byte = word_at(table, s), count = word_at(table, symbols_ + s);
    if (s == 0 ? byte != 0 || count != records_ : byte > 255 || (s > 1 && byte <= word_at(table, s - 1)) || count == 0)
      refuse("impossible symbols");
    if (count > rows_ - below) refuse("the counts of symbols are more than the rows");
    if (s != 0) symbol_of_[byte] = std::uint16_t(s);
    first_[s] = below;
    below += count;
    if (!packed_) continue;
    std::uint64_t const code = word_at(table, 2 * symbols_ + s), runs_of_symbol = word_at(table, 3 * symbols_ + s);
    bool const is_listed = code == in_runs;
    if (code > in_runs || (s == 0 && !is_listed) || (!is_listed && (common_[code] != 0 || runs_of_symbol != 0)))
      refuse("impossible codes of symbols");
    code_of_.push_back(std::uint8_t(code));
    runs_.push_back({bytes_.data() + at.runs_at + runs * run_bytes, runs_of_symbol});
    runs += runs_of_symbol;
    if (is_listed)
      listed_.push_back(std::uint16_t(s));
    else
      common_[code] = std::uint16_t(s);
  }
  if (below != rows_) refuse("the counts of symbols are fewer than the rows");
  first_[symbols_] = rows_;
}

void fm_index::refuse(std::string const& why) const {
  throw input_error(fmt::format("bad index: {}: {}", name_, why));
}

// Inline, because else a shared library calls its own functions as if a program could replace them.
inline char const* fm_index::block_of(std::uint64_t row) const noexcept {
  return packed_ ? blocks_ + row / packed_rows * packed_bytes : blocks_ + row / block_rows_ * block_bytes_;
}

void fm_index::prefetch(std::uint64_t row) const noexcept {
  char const* const block = block_of(row);
  __builtin_prefetch(block);
  if (!packed_) __builtin_prefetch(block + 64);
}

// Returns the number of rows before `row`, which may be the number of rows, whose letter is a symbol.
inline std::uint64_t fm_index::rank(std::size_t symbol, std::uint64_t row) const noexcept {
  if (!packed_) return rank_in_block(symbol, row);
  return code_of_[symbol] == in_runs ? rank_in_runs(symbol, row) : rank_of_code(code_of_[symbol], row);
}

inline std::uint64_t fm_index::rank_in_block(std::size_t symbol, std::uint64_t row) const noexcept {
  char const* const block = block_of(row);
  std::uint64_t sum = word_at(super_, (row >> super_shift) * symbols_ + symbol) + count_at(block, symbol);
  char const* const planes = block + multiple_of(8, symbols_ * 4);
  std::size_t const inside = std::size_t(row % block_rows_), words = block_rows_ / 64;
  for (std::size_t w = 0; w * 64 < inside; ++w) {
    std::uint64_t equal = ~std::uint64_t{0};
    for (std::size_t plane = 0; plane < planes_; ++plane) {
      std::uint64_t const bits = word_at(planes, plane * words + w);
      equal &= (symbol >> plane & 1) != 0 ? bits : ~bits;
    }
    std::size_t const left = inside - w * 64;
    if (left < 64) equal &= (std::uint64_t{1} << left) - 1;
    sum += count_bits(equal, 0, 0);
  }
  return sum;
}

inline std::uint64_t fm_index::rank_of_code(std::size_t code, std::uint64_t row) const noexcept {
  std::uint64_t const block = row / packed_rows, inside = row % packed_rows;
  char const* const at = blocks_ + block * packed_bytes;
  std::uint32_t const flag = count_at(at, 0) & has_listed;
  std::uint64_t sum = word_at(super_, (block >> packed_super_shift) * 4 + code) + (count_at(at, code) & ~has_listed);
  std::uint64_t const flip_low = (code & 1) != 0 ? 0 : ~std::uint64_t{0}, flip_high = (code & 2) != 0 ? 0 : ~std::uint64_t{0};
  // No branch depends on the row, which is as good as random.
  static_assert(packed_words == 3);
  std::uint64_t const last = (std::uint64_t{1} << (inside % 64)) - 1, all = ~std::uint64_t{0};
  auto const equal = [&](std::size_t w) {
    return (word_at(at + packed_planes_at, w) ^ flip_low) & (word_at(at + packed_planes_at, packed_words + w) ^ flip_high);
  };
  sum += count_bits(equal(0) & (inside < 64 ? last : all),
                    equal(1) & (inside < 64    ? 0
                                : inside < 128 ? last
                                               : all),
                    equal(2) & (inside < 128 ? 0 : last));
  if (code == 0 && flag != 0)  // rows of other letters have code 0, too
    for (std::uint16_t const symbol : listed_) sum -= rank_in_runs(symbol, row) - rank_in_runs(symbol, row - inside);
  return sum;
}

inline std::uint64_t fm_index::rank_in_runs(std::size_t symbol, std::uint64_t row) const noexcept {
  run_list const& runs = runs_[symbol];
  std::uint64_t low = 0, high = runs.count;  // runs below low begin before the row
  while (low < high) {
    std::uint64_t const middle = low + (high - low) / 2;
    if (word_at(runs.at, 2 * middle) < row)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return 0;
  std::uint64_t const begin = word_at(runs.at, 2 * (low - 1)), before = word_at(runs.at, 2 * (low - 1) + 1);
  std::uint64_t const behind = low == runs.count ? first_[symbol + 1] - first_[symbol] : word_at(runs.at, 2 * low + 1);
  return before + std::min(row - begin, behind - before);
}

// Returns a number that is no symbol for a row that a damaged index gives none.
inline std::size_t fm_index::symbol_at(std::uint64_t row) const noexcept {
  if (packed_) {
    char const* const at = blocks_ + row / packed_rows * packed_bytes;
    std::size_t const inside = std::size_t(row % packed_rows);
    if ((count_at(at, 0) & has_listed) != 0)
      for (std::uint16_t const symbol : listed_)
        if (rank_in_runs(symbol, row + 1) != rank_in_runs(symbol, row)) return symbol;
    auto const bit = [&](std::size_t word) {
      return std::size_t(word_at(at + packed_planes_at, word + inside / 64) >> (inside % 64) & 1);
    };
    std::size_t const symbol = common_[bit(0) | bit(packed_words) << 1];
    return symbol == 0 ? symbols_ : symbol;
  }
  char const* const planes = block_of(row) + multiple_of(8, symbols_ * 4);
  std::size_t const inside = std::size_t(row % block_rows_), words = block_rows_ / 64;
  std::size_t symbol = 0;
  for (std::size_t plane = 0; plane < planes_; ++plane)
    symbol |= std::size_t(word_at(planes, plane * words + inside / 64) >> (inside % 64) & 1) << plane;
  return symbol;
}

fm_index::interval fm_index::before(char letter, interval of) const {
  std::size_t const symbol = symbol_of_[static_cast<unsigned char>(letter)];
  if (symbol == 0 || of.begin > of.end || of.end > rows_) return {};
  interval const next{first_[symbol] + rank(symbol, of.begin), first_[symbol] + rank(symbol, of.end)};
  if (next.begin > next.end || next.end > first_[symbol + 1])
    refuse(fmt::format("rows {} to {} of {}: impossible counts", next.begin, next.end, rows_));
  return next;
}

std::uint64_t fm_index::rows_before(char letter, std::uint64_t rows) const {
  auto byte = static_cast<unsigned char>(letter);
  if (std::size_t const symbol = symbol_of_[byte]; symbol != 0) {
    std::uint64_t const result = first_[symbol] + rank(symbol, std::min(rows, rows_));
    if (result > first_[symbol + 1]) refuse(fmt::format("row {} of {}: impossible counts", rows, rows_));
    return result;
  }
  while (byte != 255)
    if (std::size_t const greater = symbol_of_[++byte]; greater != 0) return first_[greater];
  return rows_;
}

void fm_index::make_kmers(std::uint64_t searches) {
  constexpr std::size_t max_length = 11, letters_of_entry = 32;
  if (!packed_) return;
  std::uint64_t const max_entries = std::min(searches, residues_ / letters_of_entry);
  std::vector<interval> words{all_rows()}, longer;
  std::size_t length = 0;
  for (; length < max_length && 4 * words.size() <= max_entries; ++length) {
    longer.assign(4 * words.size(), {});
    for (std::size_t code = 0; code < 4; ++code) {
      if (common_[code] == 0) continue;
      char const letter = static_cast<char>(word_at(bytes_.data() + header_words * 8, common_[code]));
      for (std::size_t word = 0; word < words.size(); ++word)
        if (!words[word].empty()) longer[code * words.size() + word] = before(letter, words[word]);
    }
    words.swap(longer);
  }
  if (length == 0) return;
  kmer_code_.fill(4);
  for (std::size_t byte = 0; byte < 256; ++byte)
    if (std::size_t const symbol = symbol_of_[byte]; symbol != 0) kmer_code_[byte] = code_of_[symbol];
  kmers_ = std::move(words);
  kmer_length_ = length;
}

void fm_index::find(std::span<std::string_view const> patterns, std::span<row_range> rows) const {
  if (rows.size() != patterns.size())
    throw usage_error(fmt::format("wrong array size: search: {} results for {} patterns", rows.size(), patterns.size()));
  struct lane {
    std::size_t pattern;
    std::size_t left;  // letters
    interval at;
  };
  constexpr std::size_t max_lanes = 16;
  std::array<lane, max_lanes> lanes;
  std::size_t active = 0, next = 0;
  auto const start = [&](lane& one) {
    if (next == patterns.size()) return false;
    one.pattern = next;
    one.at = last_letters(patterns[next], one.left);
    ++next;
    return true;
  };
  while (active < max_lanes && start(lanes[active])) ++active;
  while (active != 0)
    for (std::size_t i = 0; i < active;) {
      lane& one = lanes[i];
      if (one.left == 0 || one.at.empty()) {
        rows[one.pattern] = this->rows(one.at);
        if (!start(one)) std::swap(one, lanes[--active]);
        continue;
      }
      one.at = before(patterns[one.pattern][--one.left], one.at);
      prefetch(one.at);
      ++i;
    }
}

/// The way from a row to a row whose position is stored, or to the start of a record.
struct fm_index::walk {
  std::uint64_t first, row, steps = 0;
  std::uint64_t position = 0;  // the result
};

// Takes a step. @returns false if the position is known
inline bool fm_index::step(walk& one) const {
  auto const found = [&](std::uint64_t p, auto why) {
    if (p >= residues_ || one.steps >= residues_ - p) refuse(why(p));
    one.position = p + one.steps;
    return false;
  };
  if (one.row % sample_ == 0)
    return found(samples_[one.row / sample_],
                 [&](std::uint64_t p) { return fmt::format("row {}: position {} of {} residues", one.first, p, residues_); });
  std::uint64_t const all_row = one.row + records_;
  std::size_t const symbol = symbol_at(all_row);
  if (symbol >= symbols_) refuse(fmt::format("row {}: impossible symbol", one.row));
  std::uint64_t const below = rank(symbol, all_row);
  if (below >= first_[symbol + 1] - first_[symbol]) refuse(fmt::format("row {}: impossible counts", one.row));
  if (symbol == 0) {
    std::uint64_t const record = ends_[below];
    return found(record >= records_ ? residues_
                 : starts_.empty()  ? 0
                                    : starts_[record],
                 [&](std::uint64_t) { return fmt::format("row {}: record {} of {}", one.first, record, records_); });
  }
  one.row = first_[symbol] + below - records_;
  if (++one.steps > residues_) refuse(fmt::format("row {}: no position", one.first));
  return true;
}

std::uint64_t fm_index::position(std::size_t row) const {
  if (row >= residues_) refuse(fmt::format("row {} of {}", row, residues_));
  walk one{row, row};
  while (step(one)) {}
  return one.position;
}

void fm_index::positions(std::span<std::uint64_t> rows) const {
  constexpr std::size_t max_lanes = 16;
  std::array<walk, max_lanes> walks;
  std::array<std::size_t, max_lanes> item;
  std::size_t active = 0, next = 0;
  auto const start = [&](std::size_t lane) {
    if (next == rows.size()) return false;
    if (rows[next] >= residues_) refuse(fmt::format("row {} of {}", rows[next], residues_));
    walks[lane] = {rows[next], rows[next]};
    item[lane] = next++;
    prefetch(walks[lane].row + records_);
    return true;
  };
  while (active < max_lanes && start(active)) ++active;
  while (active != 0)
    for (std::size_t i = 0; i < active;) {
      if (step(walks[i])) {
        if (walks[i].row % sample_ == 0)
          samples_.prefetch(walks[i].row / sample_);
        else
          prefetch(walks[i].row + records_);
        ++i;
        continue;
      }
      rows[item[i]] = walks[i].position;
      if (start(i)) continue;
      --active;
      walks[i] = walks[active];
      item[i] = item[active];
    }
}

namespace {

/// What a text consists of.
struct letter_counts {
  std::array<std::uint64_t, 256> of{};
  std::array<std::uint64_t, 256> runs{};  // of equal letters
};

letter_counts count_letters(std::string_view residues) {
  host_detail::blocks const parts(residues.size(), std::size_t{1} << 16);
  std::vector<letter_counts> of_part(parts.count);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      auto const byte = static_cast<unsigned char>(residues[p]);
      ++of_part[part].of[byte];
      of_part[part].runs[byte] += p == 0 || residues[p - 1] != residues[p];
    }
  });
  letter_counts all;
  for (letter_counts const& one : of_part)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      all.of[byte] += one.of[byte];
      all.runs[byte] += one.runs[byte];
    }
  return all;
}

/// The symbols of a text: the ends of records, then its letters.
struct symbol_table {
  std::array<std::uint16_t, 256> symbol_of{};
  std::vector<std::uint64_t> bytes{0}, counts, codes{in_runs};
  bool packed = false;

  symbol_table(letter_counts const& letters, std::uint64_t records, std::uint64_t rows) : counts{records} {
    std::vector<std::size_t> by_count;
    for (std::size_t byte = 0; byte < 256; ++byte)
      if (letters.of[byte] != 0) {
        symbol_of[byte] = std::uint16_t(bytes.size());
        by_count.push_back(byte);
        bytes.push_back(byte);
        counts.push_back(letters.of[byte]);
        codes.push_back(in_runs);
      }
    std::ranges::stable_sort(by_count, std::ranges::greater{}, [&](std::size_t byte) { return letters.of[byte]; });
    std::uint64_t runs = records;
    for (std::size_t k = 0; k < by_count.size(); ++k)
      if (k < 4)
        codes[symbol_of[by_count[k]]] = k;
      else
        runs += letters.runs[by_count[k]];
    // A run of equal letters is before few runs of rows: its suffixes but the shortest are before that letter, and the rows
    // of those are adjacent, except where the row of the longest suffix of some run lies between.
    packed = 3 * runs <= 64 + rows / packed_rows / 4;
  }
};

/// Rows with the same symbol that is in no bit plane.
struct listed_run {
  std::uint64_t symbol, begin, size;
};

void add_row(std::vector<listed_run>& runs, std::uint64_t symbol, std::uint64_t row, std::uint64_t size = 1) {
  if (!runs.empty() && runs.back().symbol == symbol && runs.back().begin + runs.back().size == row)
    runs.back().size += size;
  else
    runs.push_back({symbol, row, size});
}

/// Packs the letters of a text by their codes. @returns the runs of letters without a code: begin, end, letter
std::vector<std::array<std::uint64_t, 3>> pack_letters(std::string_view residues, symbol_table const& symbols, char* codes) {
  std::array<std::uint8_t, 256> code_of{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    if (std::size_t const symbol = symbols.symbol_of[byte]; symbol != 0) code_of[byte] = std::uint8_t(symbols.codes[symbol]);
  host_detail::blocks const parts((residues.size() + 3) / 4, std::size_t{1} << 14);
  std::vector<std::vector<std::array<std::uint64_t, 3>>> runs(parts.count);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    for (std::size_t byte = begin; byte < end; ++byte) {
      unsigned four = 0;
      for (std::size_t p = 4 * byte; p < std::min(4 * byte + 4, residues.size()); ++p) {
        auto const letter = static_cast<unsigned char>(residues[p]);
        if (code_of[letter] != in_runs)
          four |= unsigned(code_of[letter]) << 2 * (p % 4);
        else if (!runs[part].empty() && runs[part].back()[1] == p && runs[part].back()[2] == letter)
          ++runs[part].back()[1];
        else
          runs[part].push_back({p, p + 1, letter});
      }
      codes[byte] = static_cast<char>(four);
    }
  });
  std::vector<std::array<std::uint64_t, 3>> all;
  for (auto const& some : runs)
    for (auto const& one : some)
      if (!all.empty() && all.back()[1] == one[0] && all.back()[2] == one[2])
        all.back()[1] = one[1];
      else
        all.push_back(one);
  return all;
}

/// Computes the letter before each row's position.
class row_letters {
 public:
  row_letters(text const& input, entries sa, std::string const& name, symbol_table const& symbols)
      : input_(input), sa_(sa), name_(name), symbols_(symbols), record_of_(input) {}

  /// Returns the symbol of a row, and stores the record if it is 0. @throws input_error
  std::size_t operator()(std::uint64_t row, std::uint64_t& record) const {
    std::uint64_t const records = input_.records(), n = input_.size();
    constexpr std::uint64_t ahead = 16;
    if (row + ahead < n + records && row + ahead >= records)
      __builtin_prefetch(input_.residues.data() + std::min<std::uint64_t>(sa_[row + ahead - records], n));
    std::uint64_t p;  // the letter before p, in the record
    if (row < records) {
      record = row;
      p = input_.end_of(row);
    } else {
      p = sa_[row - records];
      if (p >= n)
        throw input_error(fmt::format("bad index: {}: row {}: position {} of {} residues", name_, row - records, p, n));
      record = record_of_(p);
    }
    return p == input_.begin_of(record) ? 0 : symbols_.symbol_of[static_cast<unsigned char>(input_.residues[p - 1])];
  }

 private:
  text const& input_;
  entries sa_;
  std::string const& name_;
  symbol_table const& symbols_;
  record_finder record_of_;
};

}  // namespace

std::vector<char> make_fm_index(text const& input, entries sa, std::uint64_t sample, std::string const& name, unsigned threads,
                                std::size_t max_bytes) {
  std::uint64_t const n = input.size(), records = input.records();
  if (sa.size() != n) throw usage_error(fmt::format("wrong array size: FM index: {} rows for {} residues", sa.size(), n));
  if (input.residue_bytes != 1) throw usage_error("no bytes: FM index: it is of bytes, not of tokens");
  if (sample == 0) throw usage_error("invalid sample: FM index: 0: positions of every first row at least");
  std::vector<char> file;
  lent_arena arena(threads_for(threads));
  arena.execute([&] {
    symbol_table const table(count_letters(input.residues), records, n + records);
    std::size_t const symbols = table.bytes.size();
    auto const layout_for = [&](std::uint64_t runs, std::uint64_t text_runs = 0) {
      return fm_index::layout(table.packed, n, records, sample, sa.width(), symbols, runs, text_runs);
    };
    fm_index::layout at = layout_for(0);
    auto const check_size = [&](std::uint64_t bytes) {
      if (bytes > max_bytes)
        throw out_of_memory(fmt::format("out of memory: FM index: {} bytes are needed, {} are available", bytes, max_bytes),
                            bytes);
    };
    check_size(at.bytes);
    // Room for the runs, of which there are few, without a second copy of the blocks.
    file.reserve(at.bytes + (table.packed ? (run_bytes + text_letters::run_bytes) * (64 + at.blocks / 4) : 0));
    file.assign(at.runs_at, '\0');
    auto const put_word = [&](std::uint64_t offset, std::uint64_t word) { std::memcpy(file.data() + offset, &word, 8); };
    std::memcpy(file.data(), (table.packed ? packed_magic : magic).data(), magic.size());
    std::size_t word = 0;
    for (std::uint64_t const value : {at.rows, records, sample, std::uint64_t(sa.width()), std::uint64_t(symbols)})
      put_word(8 * ++word, value);
    for (std::size_t s = 0; s < symbols; ++s) {
      put_word(at.symbols_at + 8 * s, table.bytes[s]);
      put_word(at.symbols_at + 8 * (symbols + s), table.counts[s]);
      if (table.packed) put_word(at.symbols_at + 8 * (2 * symbols + s), table.codes[s]);
    }

    // Planes, the counts inside each block, runs, and the records whose first letter is at a row.
    row_letters const letters(input, sa, name, table);
    std::size_t const words = at.block_rows / 64;
    host_detail::blocks const ranges(at.blocks, 16);
    std::vector<std::vector<std::uint64_t>> ends(ranges.count);
    std::vector<std::vector<listed_run>> runs(ranges.count);
    ranges.run([&](std::size_t range, std::size_t first, std::size_t last) {
      std::vector<std::uint64_t> planes(at.planes * words);
      std::vector<std::uint32_t> inside(at.counted);
      for (std::size_t block = first; block < last; ++block) {
        std::ranges::fill(planes, 0);
        std::ranges::fill(inside, 0);
        std::uint64_t const begin = block * at.block_rows, end = std::min(begin + at.block_rows, at.rows);
        bool listed = false;
        for (std::uint64_t row = begin; row < end; ++row) {
          std::uint64_t record = 0;
          std::size_t const symbol = letters(row, record);
          if (symbol == 0) ends[range].push_back(record);
          std::size_t code = symbol;
          if (table.packed) {
            code = table.codes[symbol];
            if (code == in_runs) {
              add_row(runs[range], symbol, row);
              listed = true;
              continue;
            }
          }
          ++inside[code];
          std::size_t const bit = std::size_t(row - begin);
          for (std::size_t plane = 0; plane < at.planes; ++plane)
            planes[plane * words + bit / 64] |= std::uint64_t(code >> plane & 1) << (bit % 64);
        }
        if (listed) inside[0] |= has_listed;
        char* const to = file.data() + at.blocks_at + block * at.block_bytes;
        std::memcpy(to, inside.data(), 4 * inside.size());
        std::memcpy(to + at.planes_at(), planes.data(), 8 * planes.size());
      }
    });

    // From the counts inside blocks to those before blocks.
    std::vector<std::uint64_t> before(at.counted), super(at.counted);
    for (std::uint64_t block = 0, last_super = ~std::uint64_t{0}; block < at.blocks; ++block) {
      if (std::uint64_t const number = at.super_of(block); number != last_super) {
        last_super = number;
        super = before;
        std::memcpy(file.data() + at.super_at + number * at.counted * 8, super.data(), 8 * at.counted);
      }
      char* const to = file.data() + at.blocks_at + block * at.block_bytes;
      for (std::size_t s = 0; s < at.counted; ++s) {
        std::uint32_t const flag = table.packed ? count_at(to, s) & has_listed : 0, inside = count_at(to, s) & ~flag;
        std::uint32_t const relative = std::uint32_t(before[s] - super[s]) | flag;
        std::memcpy(to + 4 * s, &relative, 4);
        before[s] += inside;
      }
    }

    // Runs by symbol.
    std::vector<std::vector<listed_run>> of_symbol(table.packed ? symbols : 0);
    std::uint64_t num_runs = 0;
    for (auto const& some : runs)
      for (listed_run const& one : some) add_row(of_symbol[one.symbol], one.symbol, one.begin, one.size);
    for (std::size_t s = 0; s < of_symbol.size(); ++s) {
      put_word(at.symbols_at + 8 * (3 * symbols + s), of_symbol[s].size());
      num_runs += of_symbol[s].size();
    }
    at = layout_for(num_runs);
    check_size(at.bytes);
    file.resize(at.bytes);
    std::uint64_t to = at.runs_at;
    for (auto const& some : of_symbol) {
      std::uint64_t below = 0;
      for (listed_run const& one : some) {
        put_word(to, one.begin);
        put_word(to + 8, below);
        below += one.size;
        to += run_bytes;
      }
    }

    unsigned const entry = sa.width() / 8;
    std::uint64_t num_ends = 0;
    for (auto const& some : ends)
      for (std::uint64_t const record : some) {
        if (num_ends == records) throw input_error(fmt::format("bad index: {}: a position is there twice", name));
        store_entry(file.data() + at.ends_at + num_ends++ * entry, entry, record);
      }
    if (num_ends != records) throw input_error(fmt::format("bad index: {}: the start of a record has no row", name));
    host_detail::blocks((n + sample - 1) / sample, std::size_t{1} << 14)
        .run([&](std::size_t, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) store_entry(file.data() + at.samples_at + i * entry, entry, sa[i * sample]);
        });
    if (!table.packed) return;
    auto const text_runs = pack_letters(input.residues, table, file.data() + at.codes_at);
    at = layout_for(num_runs, text_runs.size());
    check_size(at.bytes);
    file.resize(at.bytes);
    static_assert(sizeof(text_runs[0]) == text_letters::run_bytes);
    if (!text_runs.empty())
      std::memcpy(file.data() + at.text_runs_at, text_runs.data(), text_runs.size() * text_letters::run_bytes);
  });
  return file;
}

}  // namespace ordo::inline v0::suffix
