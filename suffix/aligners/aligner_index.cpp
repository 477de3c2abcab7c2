#include "ordo/suffix/aligner_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <future>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "suffix/aligners/aligner_parts.hpp"

namespace ordo::inline v0::suffix {
namespace {

using aligners::add_counts, aligners::build_for, aligners::nucleotide_code, aligners::counted_blocks, aligners::letter_counts,
    aligners::put;
using aligners::write_if_large, aligners::write_text;

constexpr unsigned seed = 11;

// bwa's array begins with the empty suffix. Its BWT lacks the row of the whole text, the primary one.
template <class Index>
std::uint64_t primary_row(std::span<Index const> sa, unsigned threads) {
  return aligners::row_of_whole(sa, threads) + 1;
}

enum class letter_order { highest_first, lowest_first };

/// The BWT in blocks of 128 letters: four counts of 64 bits of the letters before, then the letters, 16 in a word of 32 bits.
/// The last block is filled with zeros.
constexpr std::uint64_t block_letters = 128, count_bytes = sizeof(letter_counts), block_bytes = count_bytes + block_letters / 4;

/// @param order  the order of the letters in the bits of a word. If the lowest bits have the first one, the highest 8 bits of a
/// count
///     have that of the first 64 letters of the block, if there are more
template <class Index>
counted_blocks blocks_of_bwt(std::string_view nucleotides, std::span<Index const> sa, std::uint64_t primary, letter_order order,
                             unsigned threads) {
  constexpr unsigned half_shift = 56;
  std::uint64_t const n = sa.size();
  bool const is_lowest = order == letter_order::lowest_first;
  auto const code_before = [&](std::uint64_t row) {
    return nucleotide_code(nucleotides[(row == 0 ? n : std::uint64_t(sa[row - 1])) - 1]);
  };
  auto const fill = [&](std::uint64_t block, char* at, letter_counts& here) {
    letter_counts head = here;
    std::uint64_t const begin = block * block_letters, end = std::min(n, begin + block_letters);
    for (std::uint64_t i = begin; i < end; i += 16) {
      if (is_lowest && i == begin + block_letters / 2)
        for (std::size_t c = 0; c < 4; ++c) head[c] |= (here[c] - head[c]) << half_shift;
      std::uint32_t word = 0;
      for (std::uint64_t k = i; k < std::min(end, i + 16); ++k) {
        constexpr std::uint64_t ahead = 32;
        if (k + ahead < n) __builtin_prefetch(nucleotides.data() + sa[k + ahead] - (sa[k + ahead] != 0));
        unsigned const code = code_before(k < primary ? k : k + 1);
        word |= std::uint32_t(code) << 2 * (is_lowest ? k % 16 : 15 - k % 16);
        ++here[code];
      }
      std::memcpy(at + count_bytes + (i - begin) / 4, &word, 4);
    }
    std::memcpy(at, head.data(), count_bytes);
  };
  return counted_blocks((n + block_letters - 1) / block_letters, block_bytes, threads, fill, add_counts<std::uint64_t>);
}

std::string_view as_letters(host_bytes const& bytes) {
  return {bytes.data(), bytes.size()};
}

void append_reverse_complement(host_bytes& nucleotides, unsigned threads) {
  std::size_t const n = nucleotides.size();
  nucleotides.resize(2 * n);
  pooled_arena arena(threads_for(threads));
  arena.execute([&, all = nucleotides.data()] {
    host_detail::parallel_each(n, std::size_t{1} << 16,
                               [&](std::size_t i) { all[2 * n - 1 - i] = aligners::nucleotides[3 - nucleotide_code(all[i])]; });
  });
}

}  // namespace

// lrand48 of POSIX, of which bwa takes the last two bits.
unsigned bwa_reference::random_nucleotide() noexcept {
  random_ = (random_ * 0x5deece66dULL + 0xb) & ((std::uint64_t{1} << 48) - 1);
  return unsigned(random_ >> 17) & 3;
}

void bwa_reference::add(std::string_view name, std::string_view comment, std::string_view letters) {
  record record{std::string(name), std::string(comment), nucleotides_.size(), letters.size(), 0};
  nucleotides_.resize(record.begin + letters.size());
  char* const nucleotides = nucleotides_.data() + record.begin;
  host_detail::blocks const parts(letters.size(), std::size_t{1} << 16);
  std::vector<char> has_holes(parts.count);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    unsigned all = 0;
    for (std::size_t i = begin; i < end; ++i) {
      unsigned const code = nucleotide_code(letters[i]);
      all |= code;
      nucleotides[i] = aligners::nucleotides[code & 3];
    }
    has_holes[part] = all > 3;
  });
  // Random numbers are in the order of the letters.
  for (std::size_t part = 0; part < parts.count; ++part)
    for (std::size_t i = parts.begin(part); has_holes[part] && i < parts.end(part); ++i) {
      if (nucleotide_code(letters[i]) <= 3) continue;
      if (i != 0 && letters[i - 1] == letters[i]) {
        ++holes_.back().size;
      } else {
        holes_.push_back({record.begin + i, 1, letters[i]});
        ++record.holes;
      }
      nucleotides[i] = aligners::nucleotides[random_nucleotide()];
    }
  records_.push_back(std::move(record));
}

void bwa_reference::write_names(sink& amb, sink& ann) const {
  std::string text = fmt::format("{} {} {}\n", size(), records(), seed);
  for (record const& record : records_)
    text += fmt::format("0 {} {}\n{} {} {}\n", record.name, record.comment.empty() ? "(null)" : record.comment, record.begin,
                        record.size, record.holes);
  write_text(ann, text);
  text = fmt::format("{} {} {}\n", size(), records(), holes_.size());
  for (hole const& hole : holes_) text += fmt::format("{} {} {}\n", hole.begin, hole.size, hole.letter);
  write_text(amb, text);
}

// Four letters a byte, the first one in the highest bits; then the number of letters modulo 4, after a byte of its own if that
// is 0.
void bwa_reference::write_packed(sink& to, std::uint64_t n, unsigned threads) const {
  std::string_view const nucleotides = as_letters(nucleotides_);
  std::uint64_t const bytes = n / 4 + 1;
  aligners::part_writer out(to, bytes + 1, threads);
  out.write_numbers<std::uint8_t>(bytes, [&](std::uint64_t byte) {
    unsigned packed = 0;
    for (std::uint64_t i = 4 * byte; i < std::min(n, 4 * byte + 4); ++i)
      packed |= nucleotide_code(nucleotides[i]) << (2 * (3 - i % 4));
    return packed;
  });
  out.write_numbers<std::uint8_t>(1, [&](std::uint64_t) { return n % 4; });
}

// Writes the letters of the reference, of n letters, whose reverse complement follows.
void bwa_reference::write_letters(bwa_files const& files, std::uint64_t n, unsigned threads) const {
  write_packed(files.pac, n, threads);
}

void bwa_reference::write_letters(bwa_mem2_files const& files, std::uint64_t n, unsigned threads) const {
  write_packed(files.pac, n, threads);
  aligners::part_writer letters(files.letters, size(), threads);
  letters.write_numbers<std::uint8_t>(size(), [all = nucleotides_.data()](std::uint64_t p) { return nucleotide_code(all[p]); });
}

template <class Index>
void bwa_reference::write_arrays(bwa_files const& files, std::span<Index const> sa, unsigned threads) const {
  std::uint64_t const n = size();  // both strands
  std::uint64_t const primary = primary_row(sa, threads);
  counted_blocks const bwt = blocks_of_bwt(as_letters(nucleotides_), sa, primary, letter_order::highest_first, threads);
  // The last block ends with the word of the last letter.
  std::uint64_t const bytes = (n + 15) / 16 * 4 + (bwt.blocks() + 1) * count_bytes;

  std::string head;
  put(head, primary);
  std::uint64_t below = 0;
  for (std::uint64_t const count : bwt.all()) put(head, below += count);
  aligners::part_writer out(files.bwt, head.size() + bytes, threads);
  out.write(head);
  out.write(bwt.bytes().first(bytes - count_bytes));
  out.write({reinterpret_cast<char const*>(bwt.all().data()), count_bytes});

  constexpr std::uint64_t interval = 32;
  std::uint64_t const rows = (n + interval) / interval;
  put(head, interval);
  put(head, n);
  aligners::part_writer samples(files.sa, head.size() + (rows - 1) * 8, threads);
  samples.write(head);
  samples.write_numbers<std::uint64_t>(rows - 1, [&](std::uint64_t i) { return sa[(i + 1) * interval - 1]; });
}

template <class Index>
void bwa_reference::write_arrays(bwa_mem2_files const& files, std::span<Index const> sa, unsigned threads) const {
  std::uint64_t const rows = size() + 1;  // the first one is that of the empty suffix; an odd number
  auto const position = [&](std::uint64_t row) { return row == 0 ? rows - 1 : std::uint64_t(sa[row - 1]); };
  // Blocks of 64 rows: the counts of the letters in the rows before, and a mask for each letter, the first row in the highest
  // bit. The row of the whole text has no letter.
  constexpr std::uint64_t block_rows = 64, masks_at = sizeof(letter_counts);
  char const* const nucleotides = nucleotides_.data();
  auto const fill = [&](std::uint64_t block, char* at, letter_counts& here) {
    std::memcpy(at, here.data(), sizeof(here));
    letter_counts masks{};
    std::uint64_t const begin = block * block_rows, end = std::min(rows, begin + block_rows);
    for (std::uint64_t row = begin; row < end; ++row) {
      constexpr std::uint64_t ahead = 32;
      if (row + ahead < rows) __builtin_prefetch(nucleotides + position(row + ahead));
      if (std::uint64_t const p = position(row); p != 0)
        masks[nucleotide_code(nucleotides[p - 1])] |= std::uint64_t{1} << (block_rows - 1 - (row - begin));
    }
    std::memcpy(at + masks_at, masks.data(), sizeof(masks));
    for (std::size_t c = 0; c < 4; ++c) here[c] += std::uint64_t(std::popcount(masks[c]));
  };
  counted_blocks const blocks(rows / block_rows + 1, 2 * sizeof(letter_counts), threads, fill, add_counts<std::uint64_t>);
  std::string head;
  put(head, rows);
  std::uint64_t below = 0;
  put(head, below);
  for (std::uint64_t const count : blocks.all()) put(head, below += count);
  constexpr std::uint64_t interval = 8;
  std::uint64_t const entries = rows / interval + 1;
  aligners::part_writer out(files.bwt, head.size() + blocks.bytes().size() + entries * 5 + 8, threads);
  out.write(head);
  out.write(blocks.bytes());
  out.write_numbers<std::uint8_t>(entries, [&](std::uint64_t i) { return position(i * interval) >> 32; });
  out.write_numbers<std::uint32_t>(entries, [&](std::uint64_t i) { return position(i * interval); });
  out.write_numbers<std::uint64_t>(1, [&](std::uint64_t) { return primary_row(sa, threads); });
}

template <class Files>
build_report bwa_reference::write_all(Files const& files, build_options const& options) {
  if (size() == 0) throw input_error("no letters: reference: an index needs at least one");
  write_names(files.amb, files.ann);
  std::uint64_t const n = size();
  append_reverse_complement(nucleotides_, options.machine.threads);
  auto writing = std::async([&] { write_letters(files, n, options.machine.threads); });  // after the sort if no thread is left
  build_report const report = build_for(text{as_letters(nucleotides_)}, options,
                                        [&](auto const& sa) { write_arrays(files, sa, options.machine.threads); });
  writing.get();
  return report;
}

build_report bwa_reference::write(bwa_files const& files, build_options const& options) {
  return write_all(files, options);
}

build_report bwa_reference::write(bwa_mem2_files const& files, build_options const& options) {
  return write_all(files, options);
}

// SplitMix64 (Steele, Lea and Flood 2014).
unsigned minibwa_reference::random_nucleotide() noexcept {
  std::uint64_t x = random_ += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return unsigned(x ^ x >> 31) & 3;
}

void minibwa_reference::add(std::string_view name, std::string_view comment, std::string_view letters) {
  std::uint64_t const begin = size();
  (names_ += name) += '\0';
  (comments_ += comment) += '\0';
  lengths_.push_back(letters.size());
  nucleotides_.resize(begin + letters.size());
  char* const nucleotides = nucleotides_.data() + begin;
  std::uint64_t ambiguous = 0, masked = 0;  // letters of the ranges that are open
  auto const close = [&](std::vector<range>& to, std::uint64_t& length, std::uint64_t end) {
    if (length != 0) to.push_back({end - length, end});
    length = 0;
  };
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (letters[i] < 'A' || letters[i] > 'Z')
      ++masked;
    else
      close(masked_, masked, begin + i);
    unsigned code = nucleotide_code(letters[i]);
    if (code > 3) {
      ++ambiguous;
      code = random_nucleotide();
    } else {
      close(ambiguous_, ambiguous, begin + i);
    }
    nucleotides[i] = aligners::nucleotides[code];
  }
}

// Numbers of 64 bits, so that all of them are aligned; 32 letters in each, the first one in the lowest bits.
void minibwa_reference::write_letters(sink& to) const {
  std::string head = "L2B\1";
  put(head, std::uint32_t{0});
  std::uint64_t const words = (size() + 31) / 32;
  for (std::uint64_t const number :
       {lengths_.size(), size(), ambiguous_.size(), masked_.size(), names_.size(), comments_.size(), words})
    put(head, number);
  for (std::uint64_t const length : lengths_) put(head, length);
  for (std::vector<range> const* const ranges : {&ambiguous_, &masked_})
    for (range const& range : *ranges) {
      put(head, range.begin);
      put(head, range.end);
    }
  std::vector<std::uint64_t> packed(words);
  for (std::uint64_t i = 0; i < size(); ++i)
    packed[i / 32] |= std::uint64_t(nucleotide_code(nucleotides_.data()[i])) << (2 * (i % 32));
  to.expect(head.size() + 8 * words + names_.size() + comments_.size());
  write_text(to, head);
  to.write({reinterpret_cast<char const*>(packed.data()), 8 * words});
  write_text(to, names_);
  write_text(to, comments_);
}

template <class Index>
void minibwa_reference::write_arrays(sink& to, std::span<Index const> sa, unsigned threads) const {
  std::uint64_t const n = size(), primary = primary_row(sa, threads);
  counted_blocks const bwt = blocks_of_bwt(as_letters(nucleotides_), sa, primary, letter_order::lowest_first, threads);
  constexpr unsigned interval_bits = 4;
  std::uint64_t const interval = std::uint64_t{1} << interval_bits, entries = (n + interval) / interval;
  std::string head = "MBW\2";
  put(head, std::uint32_t{interval_bits});
  put(head, primary);
  std::uint64_t below = 0;
  for (std::uint64_t const count : bwt.all()) put(head, below += count);
  to.expect(head.size() + bwt.bytes().size() + count_bytes + 8 + 8 * entries);
  write_text(to, head);
  to.write(bwt.bytes());
  head.clear();
  for (std::uint64_t const count : bwt.all()) put(head, count);
  put(head, entries);
  put(head, ~std::uint64_t{0});  // the row of the empty suffix
  for (std::uint64_t row = interval; row <= n; row += interval) {
    put(head, std::uint64_t(sa[row - 1]));
    write_if_large(to, head);
  }
  write_text(to, head);
}

build_report minibwa_reference::write(minibwa_files const& files, build_options const& options) {
  if (size() == 0) throw input_error("no letters: reference: an index needs at least one");
  write_letters(files.l2b);
  append_reverse_complement(nucleotides_, options.machine.threads);
  return build_for(text{as_letters(nucleotides_)}, options,
                   [&](auto const& sa) { write_arrays(files.mbw, sa, options.machine.threads); });
}

}  // namespace ordo::inline v0::suffix
