#include "ordo/suffix/fm_index.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/suffix/records.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::array<char, 8> magic{'o', 'r', 'd', 'o', ' ', 'f', 'm', '1'};
constexpr unsigned super_shift = 31;  // counts of a block start anew after 2^31 rows, so that they fit 32 bits
constexpr std::size_t header_words = 6;

constexpr std::uint64_t multiple_of(std::uint64_t unit, std::uint64_t bytes) {
  return (bytes + unit - 1) / unit * unit;
}

std::uint64_t word_at(char const* at, std::size_t i) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at + 8 * i, 8);
  return word;
}

}  // namespace

/// The places in the file: a header of 64-bit words (magic, rows, records, sample, bits of an entry, symbols); the byte of each
/// symbol but the first, and the count of each; counts before each 2^31 rows; blocks, each of a 32-bit count for each symbol
/// and then the bit planes of its rows; the record of each letter '$' in the order of rows; samples. Parts begin at multiples
/// of 8 bytes.
struct fm_index::layout {
  std::uint64_t rows, records, sample, width, symbols;
  std::uint64_t planes, block_rows, block_bytes, blocks, supers;
  std::uint64_t symbols_at, super_at, blocks_at, ends_at, samples_at, bytes;

  layout(std::uint64_t n, std::uint64_t num_records, std::uint64_t distance, std::uint64_t entry_bits,
         std::uint64_t num_symbols)
      : rows(n + num_records), records(num_records), sample(distance), width(entry_bits), symbols(num_symbols) {
    planes = std::uint64_t(std::max(1, int(std::bit_width(symbols - 1))));
    // The counts take about a third of a block of few symbols, and less of one of many.
    block_rows = std::bit_ceil(std::max<std::uint64_t>(256, symbols * 32));
    block_bytes = multiple_of(8, symbols * 4) + planes * (block_rows / 8);
    blocks = rows / block_rows + 1;
    supers = (rows >> super_shift) + 1;
    symbols_at = header_words * 8;
    super_at = symbols_at + 2 * symbols * 8;
    blocks_at = super_at + supers * symbols * 8;
    ends_at = blocks_at + blocks * block_bytes;
    samples_at = ends_at + multiple_of(8, records * (width / 8));
    bytes = samples_at + multiple_of(8, (n + sample - 1) / sample * (width / 8));
  }
  [[nodiscard]] std::uint64_t planes_at() const { return multiple_of(8, symbols * 4); }
};

fm_index::fm_index(std::span<char const> bytes, text const& input, std::string name)
    : bytes_(bytes), starts_(input.starts), name_(std::move(name)), residues_(input.size()), records_(input.records()) {
  static_assert(max_symbols == 257);
  if (bytes.size() < header_words * 8 || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    refuse("it does not begin as an FM index does");
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
  layout const at(residues_, records_, sample_, head[4], symbols_);
  if (at.bytes != bytes.size()) refuse(fmt::format("{} bytes, expected {}", bytes.size(), at.bytes));
  planes_ = at.planes;
  block_rows_ = at.block_rows;
  block_bytes_ = at.block_bytes;
  std::uint64_t below = 0;
  for (std::size_t s = 0; s < symbols_; ++s) {
    std::uint64_t const byte = word_at(bytes.data() + at.symbols_at, s),
                        count = word_at(bytes.data() + at.symbols_at, symbols_ + s);
    if (s == 0 ? byte != 0 || count != records_
               : byte > 255 || (s > 1 && byte <= word_at(bytes.data() + at.symbols_at, s - 1)) || count == 0)
      refuse("impossible symbols");
    if (count > rows_ - below) refuse("the counts of symbols are more than the rows");
    if (s != 0) symbol_of_[byte] = std::uint16_t(s);
    first_[s] = below;
    below += count;
  }
  if (below != rows_) refuse("the counts of symbols are fewer than the rows");
  first_[symbols_] = rows_;
  super_ = bytes.data() + at.super_at;
  blocks_ = bytes.data() + at.blocks_at;
  ends_ = entries(bytes.subspan(at.ends_at, records_ * (head[4] / 8)), unsigned(head[4]));
  samples_ = entries(bytes.subspan(at.samples_at, (residues_ + sample_ - 1) / sample_ * (head[4] / 8)), unsigned(head[4]));
}

void fm_index::refuse(std::string const& why) const {
  throw input_error(fmt::format("bad index: {}: {}", name_, why));
}

char const* fm_index::block_of(std::uint64_t row) const noexcept {
  return blocks_ + row / block_rows_ * block_bytes_;
}

void fm_index::prefetch(std::uint64_t row) const noexcept {
  char const* const block = block_of(row);
  __builtin_prefetch(block);
  __builtin_prefetch(block + 64);
}

// Returns the number of rows before `row`, which may be the number of rows, whose letter is a symbol.
std::uint64_t fm_index::rank(std::size_t symbol, std::uint64_t row) const noexcept {
  char const* const block = block_of(row);
  std::uint32_t count;
  std::memcpy(&count, block + 4 * symbol, 4);
  std::uint64_t sum = word_at(super_, (row >> super_shift) * symbols_ + symbol) + count;
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
    sum += std::uint64_t(std::popcount(equal));
  }
  return sum;
}

std::size_t fm_index::symbol_at(std::uint64_t row) const noexcept {
  char const* const planes = block_of(row) + multiple_of(8, symbols_ * 4);
  std::size_t const inside = std::size_t(row % block_rows_), words = block_rows_ / 64;
  std::size_t symbol = 0;
  for (std::size_t plane = 0; plane < planes_; ++plane)
    symbol |= std::size_t(word_at(planes, plane * words + inside / 64) >> (inside % 64) & 1) << plane;
  return symbol;
}

void fm_index::find(std::span<std::string_view const> patterns, std::span<row_range> rows) const {
  if (rows.size() != patterns.size())
    throw usage_error(fmt::format("wrong array size: search: {} results for {} patterns", rows.size(), patterns.size()));
  struct lane {
    std::size_t pattern;
    std::size_t left;  // letters
    std::uint64_t begin, end;
  };
  constexpr std::size_t max_lanes = 16;
  std::array<lane, max_lanes> lanes;
  std::size_t active = 0, next = 0;
  auto const finish = [&](lane const& one) {
    std::uint64_t const begin = std::max(one.begin, records_);
    rows[one.pattern] = {std::size_t(begin - records_), std::size_t(std::max(one.end, begin) - records_)};
  };
  auto const start = [&](lane& one) {
    if (next == patterns.size()) return false;
    one = {next, patterns[next].size(), 0, rows_};
    ++next;
    return true;
  };
  while (active < max_lanes && start(lanes[active])) ++active;
  while (active != 0)
    for (std::size_t i = 0; i < active;) {
      lane& one = lanes[i];
      if (one.left == 0 || one.begin >= one.end) {
        finish(one);
        if (!start(one)) std::swap(one, lanes[--active]);
        continue;
      }
      std::size_t const symbol = symbol_of_[static_cast<unsigned char>(patterns[one.pattern][--one.left])];
      if (symbol == 0) {
        one.begin = one.end = records_;
      } else {
        one.begin = first_[symbol] + rank(symbol, one.begin);
        one.end = first_[symbol] + rank(symbol, one.end);
        if (one.begin > one.end || one.end > first_[symbol + 1])
          refuse(fmt::format("rows {} to {} of {}: impossible counts", one.begin, one.end, rows_));
        prefetch(one.begin);
        prefetch(one.end);
      }
      ++i;
    }
}

std::uint64_t fm_index::position(std::size_t row) const {
  if (row >= residues_) refuse(fmt::format("row {} of {}", row, residues_));
  std::uint64_t at = row;
  for (std::uint64_t steps = 0; steps <= residues_; ++steps) {
    if (at % sample_ == 0) {
      std::uint64_t const p = samples_[at / sample_];
      if (p >= residues_ || steps >= residues_ - p)
        refuse(fmt::format("row {}: position {} of {} residues", row, p, residues_));
      return p + steps;
    }
    std::uint64_t const all_row = at + records_;
    std::size_t const symbol = symbol_at(all_row);
    if (symbol >= symbols_) refuse(fmt::format("row {}: impossible symbol", at));
    std::uint64_t const before = rank(symbol, all_row);
    if (before >= first_[symbol + 1] - first_[symbol]) refuse(fmt::format("row {}: impossible counts", at));
    if (symbol == 0) {
      std::uint64_t const record = ends_[before];
      std::uint64_t const p = record >= records_ ? residues_ : starts_.empty() ? 0 : starts_[record];
      if (p >= residues_ || steps >= residues_ - p) refuse(fmt::format("row {}: record {} of {}", row, record, records_));
      return p + steps;
    }
    at = first_[symbol] + before - records_;
  }
  refuse(fmt::format("row {}: no position", row));
}

std::uint64_t fm_index_bytes(std::uint64_t n, std::uint64_t records, std::size_t letters, unsigned width,
                             std::uint64_t sample) {
  return fm_index::layout(n, records, sample, width, letters + 1).bytes;
}

std::vector<char> make_fm_index(text const& input, entries sa, std::uint64_t sample, std::string const& name, unsigned threads,
                                std::size_t max_bytes) {
  std::uint64_t const n = input.size(), records = input.records();
  if (sa.size() != n) throw usage_error(fmt::format("wrong array size: FM index: {} rows for {} residues", sa.size(), n));
  if (input.residue_bytes != 1) throw usage_error("no bytes: FM index: it is of bytes, not of tokens");
  if (sample == 0) throw usage_error("invalid sample: FM index: 0: positions of every first row at least");
  std::array<std::uint64_t, 256> counts{};
  std::vector<char> file;
  tbb::task_arena arena(threads_for(threads));
  arena.execute([&] {
    host_detail::blocks const parts(n, std::size_t{1} << 16);
    std::vector<std::array<std::uint64_t, 256>> of_part(parts.count);
    parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) ++of_part[part][static_cast<unsigned char>(input.residues[p])];
    });
    for (auto const& one : of_part)
      for (std::size_t byte = 0; byte < 256; ++byte) counts[byte] += one[byte];

    std::array<std::uint16_t, 256> symbol_of{};
    std::vector<std::uint64_t> bytes_of{0}, count_of{records};
    for (std::size_t byte = 0; byte < 256; ++byte)
      if (counts[byte] != 0) {
        symbol_of[byte] = std::uint16_t(bytes_of.size());
        bytes_of.push_back(byte);
        count_of.push_back(counts[byte]);
      }
    std::size_t const symbols = bytes_of.size();
    fm_index::layout const at(n, records, sample, sa.width(), symbols);
    if (at.bytes > max_bytes)
      throw out_of_memory(fmt::format("out of memory: FM index: {} bytes are needed, {} are available", at.bytes, max_bytes),
                          at.bytes);
    file.assign(at.bytes, '\0');
    auto const put_word = [&](std::uint64_t offset, std::uint64_t word) { std::memcpy(file.data() + offset, &word, 8); };
    std::memcpy(file.data(), magic.data(), magic.size());
    std::size_t word = 0;
    for (std::uint64_t const value : {at.rows, records, sample, std::uint64_t(sa.width()), std::uint64_t(symbols)})
      put_word(8 * ++word, value);
    for (std::size_t s = 0; s < symbols; ++s) {
      put_word(at.symbols_at + 8 * s, bytes_of[s]);
      put_word(at.symbols_at + 8 * (symbols + s), count_of[s]);
    }

    // Planes, the counts inside each block, and the records whose first letter is at a row.
    record_finder const record_of(input);
    std::size_t const words = at.block_rows / 64;
    host_detail::blocks const ranges(at.blocks, 16);
    std::vector<std::vector<std::uint64_t>> ends(ranges.count);
    ranges.run([&](std::size_t range, std::size_t first, std::size_t last) {
      std::vector<std::uint64_t> planes(at.planes * words);
      std::vector<std::uint32_t> inside(symbols);
      for (std::size_t block = first; block < last; ++block) {
        std::ranges::fill(planes, 0);
        std::ranges::fill(inside, 0);
        std::uint64_t const begin = block * at.block_rows, end = std::min(begin + at.block_rows, at.rows);
        for (std::uint64_t row = begin; row < end; ++row) {
          constexpr std::uint64_t ahead = 16;
          if (row + ahead < at.rows && row + ahead >= records)
            __builtin_prefetch(input.residues.data() + std::min<std::uint64_t>(sa[row + ahead - records], n));
          std::uint64_t record, p;  // the letter before p, in the record
          if (row < records) {
            record = row;
            p = input.end_of(row);
          } else {
            p = sa[row - records];
            if (p >= n)
              throw input_error(fmt::format("bad index: {}: row {}: position {} of {} residues", name, row - records, p, n));
            record = record_of(p);
          }
          std::size_t symbol = 0;
          if (p == input.begin_of(record))
            ends[range].push_back(record);
          else
            symbol = symbol_of[static_cast<unsigned char>(input.residues[p - 1])];
          ++inside[symbol];
          std::size_t const bit = std::size_t(row - begin);
          for (std::size_t plane = 0; plane < at.planes; ++plane)
            planes[plane * words + bit / 64] |= std::uint64_t(symbol >> plane & 1) << (bit % 64);
        }
        char* const to = file.data() + at.blocks_at + block * at.block_bytes;
        std::memcpy(to, inside.data(), 4 * symbols);
        std::memcpy(to + at.planes_at(), planes.data(), 8 * planes.size());
      }
    });

    // From the counts inside blocks to those before blocks.
    std::vector<std::uint64_t> before(symbols), super(symbols);
    for (std::uint64_t block = 0; block < at.blocks; ++block) {
      std::uint64_t const row = block * at.block_rows;
      if (row % (std::uint64_t{1} << super_shift) == 0) {
        super = before;
        std::memcpy(file.data() + at.super_at + (row >> super_shift) * symbols * 8, super.data(), 8 * symbols);
      }
      char* const to = file.data() + at.blocks_at + block * at.block_bytes;
      for (std::size_t s = 0; s < symbols; ++s) {
        std::uint32_t inside;
        std::memcpy(&inside, to + 4 * s, 4);
        auto const relative = std::uint32_t(before[s] - super[s]);
        std::memcpy(to + 4 * s, &relative, 4);
        before[s] += inside;
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
  });
  return file;
}

}  // namespace ordo::inline v0::suffix
