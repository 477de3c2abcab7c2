#include "ordo/suffix/aligner_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "suffix/index/aligner_parts.hpp"

namespace ordo::inline v0::suffix {
namespace {

using aligners::add_counts, aligners::build_for, aligners::code_of, aligners::counted_blocks, aligners::letter_counts,
    aligners::put;
using aligners::write_if_large, aligners::write_text;

constexpr unsigned seed = 11;

// bwa's array begins with the empty suffix. Its BWT lacks the row of the whole text, the primary one.
template <class Index>
std::uint64_t primary_row(std::vector<Index> const& sa) {
  return std::uint64_t(std::ranges::find(sa, Index{0}) - sa.begin()) + 1;
}

enum class letter_order { highest_first, lowest_first };

/// The BWT in blocks of 128 letters: four counts of 64 bits of the letters before, then the letters, 16 in a word of 32 bits.
/// The last block is filled with zeros.
constexpr std::uint64_t block_letters = 128, count_bytes = sizeof(letter_counts), block_bytes = count_bytes + block_letters / 4;

/// @param order  of the letters in the bits of a word. If the lowest bits have the first one, the highest 8 bits of a count
///     have that of the first 64 letters of the block, if there are more
template <class Index>
counted_blocks blocks_of_bwt(std::string const& nucleotides, std::vector<Index> const& sa, std::uint64_t primary,
                             letter_order order, unsigned threads) {
  constexpr unsigned half_shift = 56;
  std::uint64_t const n = sa.size();
  bool const is_lowest = order == letter_order::lowest_first;
  auto const code_before = [&](std::uint64_t row) {
    return code_of(nucleotides[(row == 0 ? n : std::uint64_t(sa[row - 1])) - 1]);
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

void append_reverse_complement(std::string& nucleotides) {
  std::size_t const n = nucleotides.size();
  nucleotides.reserve(2 * n);
  for (std::size_t i = n; i-- > 0;) nucleotides += aligners::nucleotides[3 - code_of(nucleotides[i])];
}

}  // namespace

// lrand48 of POSIX, of which bwa takes the last two bits.
unsigned bwa_reference::random_nucleotide() noexcept {
  random_ = (random_ * 0x5deece66dULL + 0xb) & ((std::uint64_t{1} << 48) - 1);
  return unsigned(random_ >> 17) & 3;
}

void bwa_reference::add(std::string_view name, std::string_view comment, std::string_view letters) {
  record one{std::string(name), std::string(comment), nucleotides_.size(), letters.size(), 0};
  char last = '\0';
  for (std::size_t i = 0; i < letters.size(); ++i) {
    unsigned code = code_of(letters[i]);
    if (code > 3) {
      if (last == letters[i]) {
        ++holes_.back().size;
      } else {
        holes_.push_back({one.begin + i, 1, letters[i]});
        ++one.holes;
      }
      code = random_nucleotide();
    }
    last = letters[i];
    nucleotides_ += aligners::nucleotides[code];
  }
  records_.push_back(std::move(one));
}

void bwa_reference::write_names(sink& amb, sink& ann) const {
  std::string text = fmt::format("{} {} {}\n", size(), records(), seed);
  for (record const& one : records_)
    text += fmt::format("0 {} {}\n{} {} {}\n", one.name, one.comment.empty() ? "(null)" : one.comment, one.begin, one.size,
                        one.holes);
  write_text(ann, text);
  text = fmt::format("{} {} {}\n", size(), records(), holes_.size());
  for (hole const& one : holes_) text += fmt::format("{} {} {}\n", one.begin, one.size, one.letter);
  write_text(amb, text);
}

// Four letters a byte, the first one in the highest bits; then the number of letters modulo 4, behind a byte of its own if that
// is 0.
void bwa_reference::write_letters(sink& to) const {
  std::uint64_t const n = size();
  std::string packed(n / 4 + 1, '\0');
  for (std::uint64_t i = 0; i < n; ++i)
    packed[i / 4] =
        static_cast<char>(static_cast<unsigned char>(packed[i / 4]) | code_of(nucleotides_[i]) << (2 * (3 - i % 4)));
  packed += static_cast<char>(n % 4);
  write_text(to, packed);
}

template <class Index>
void bwa_reference::write_arrays(bwa_files const& files, std::vector<Index> const& sa, unsigned threads) const {
  std::uint64_t const n = size();  // both strands
  std::uint64_t const primary = primary_row(sa);
  counted_blocks const bwt = blocks_of_bwt(nucleotides_, sa, primary, letter_order::highest_first, threads);
  // The last block ends with the word of the last letter.
  std::uint64_t const bytes = (n + 15) / 16 * 4 + (bwt.blocks() + 1) * count_bytes;

  std::string head;
  put(head, primary);
  std::uint64_t below = 0;
  for (std::uint64_t const count : bwt.all()) put(head, below += count);
  files.bwt.expect(head.size() + bytes);
  write_text(files.bwt, head);
  files.bwt.write(bwt.bytes().first(bytes - count_bytes));
  files.bwt.write({reinterpret_cast<char const*>(bwt.all().data()), count_bytes});

  constexpr std::uint64_t interval = 32;
  std::uint64_t const rows = (n + interval) / interval;
  put(head, interval);
  put(head, n);
  files.sa.expect(head.size() + (rows - 1) * 8);
  for (std::uint64_t row = 1; row < rows; ++row) {
    put(head, std::uint64_t(sa[row * interval - 1]));
    write_if_large(files.sa, head);
  }
  write_text(files.sa, head);
}

template <class Index>
void bwa_reference::write_arrays(bwa_mem2_files const& files, std::vector<Index> const& sa, unsigned threads) const {
  std::uint64_t const rows = size() + 1;  // the first one is that of the empty suffix; an odd number
  auto const position = [&](std::uint64_t row) { return row == 0 ? rows - 1 : std::uint64_t(sa[row - 1]); };
  // Blocks of 64 rows: the counts of the letters in the rows before, and a mask for each letter, the first row in the highest
  // bit. The row of the whole text has no letter.
  struct block {
    std::array<std::uint64_t, 4> before, masks;
  };
  constexpr std::uint64_t block_rows = 64;
  std::vector<block> blocks(rows / block_rows + 1);
  tbb::task_arena arena(threads_for(threads));
  arena.execute([&] {
    host_detail::parallel_each(blocks.size(), 256, [&](std::size_t b) {
      std::uint64_t const begin = b * block_rows, end = std::min(rows, begin + block_rows);
      for (std::uint64_t row = begin; row < end; ++row) {
        constexpr std::uint64_t ahead = 32;
        if (row + ahead < rows) __builtin_prefetch(nucleotides_.data() + position(row + ahead));
        if (std::uint64_t const p = position(row); p != 0)
          blocks[b].masks[code_of(nucleotides_[p - 1])] |= std::uint64_t{1} << (block_rows - 1 - (row - begin));
      }
    });
  });
  std::array<std::uint64_t, 4> counts{};
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].before = counts;
    for (std::size_t c = 0; c < 4; ++c) counts[c] += std::uint64_t(std::popcount(blocks[b].masks[c]));
  }
  std::string head;
  put(head, rows);
  std::uint64_t below = 0;
  put(head, below);
  for (std::uint64_t const count : counts) put(head, below += count);
  constexpr std::uint64_t interval = 8;
  std::uint64_t const entries = rows / interval + 1;
  files.bwt.expect(head.size() + blocks.size() * sizeof(block) + entries * 5 + 8);
  write_text(files.bwt, head);
  files.bwt.write({reinterpret_cast<char const*>(blocks.data()), blocks.size() * sizeof(block)});
  std::string part;
  auto const each_entry = [&](auto add) {
    for (std::uint64_t entry = 0; entry < entries; ++entry) {
      add(position(entry * interval));
      write_if_large(files.bwt, part);
    }
  };
  each_entry([&](std::uint64_t p) { put(part, std::uint8_t(p >> 32)); });
  each_entry([&](std::uint64_t p) { put(part, std::uint32_t(p)); });
  put(part, primary_row(sa));
  write_text(files.bwt, part);
  part.clear();

  files.letters.expect(size());
  for (std::uint64_t p = 0; p < size(); ++p) {
    part += static_cast<char>(code_of(nucleotides_[p]));
    write_if_large(files.letters, part);
  }
  write_text(files.letters, part);
}

template <class Files>
build_report bwa_reference::write_all(Files const& files, build_options const& options) {
  if (size() == 0) throw input_error("no letters: reference: an index needs at least one");
  write_names(files.amb, files.ann);
  write_letters(files.pac);
  append_reverse_complement(nucleotides_);
  return build_for(text{nucleotides_}, options, [&](auto const& sa) { write_arrays(files, sa, options.machine.threads); });
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
    unsigned code = code_of(letters[i]);
    if (code > 3) {
      ++ambiguous;
      code = random_nucleotide();
    } else {
      close(ambiguous_, ambiguous, begin + i);
    }
    nucleotides_ += aligners::nucleotides[code];
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
    for (range const& one : *ranges) {
      put(head, one.begin);
      put(head, one.end);
    }
  std::vector<std::uint64_t> packed(words);
  for (std::uint64_t i = 0; i < size(); ++i) packed[i / 32] |= std::uint64_t(code_of(nucleotides_[i])) << (2 * (i % 32));
  to.expect(head.size() + 8 * words + names_.size() + comments_.size());
  write_text(to, head);
  to.write({reinterpret_cast<char const*>(packed.data()), 8 * words});
  write_text(to, names_);
  write_text(to, comments_);
}

template <class Index>
void minibwa_reference::write_arrays(sink& to, std::vector<Index> const& sa, unsigned threads) const {
  std::uint64_t const n = size(), primary = primary_row(sa);
  counted_blocks const bwt = blocks_of_bwt(nucleotides_, sa, primary, letter_order::lowest_first, threads);
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
  put(head, ~std::uint64_t{0});  // of the empty suffix
  for (std::uint64_t row = interval; row <= n; row += interval) {
    put(head, std::uint64_t(sa[row - 1]));
    write_if_large(to, head);
  }
  write_text(to, head);
}

build_report minibwa_reference::write(minibwa_files const& files, build_options const& options) {
  if (size() == 0) throw input_error("no letters: reference: an index needs at least one");
  write_letters(files.l2b);
  append_reverse_complement(nucleotides_);
  return build_for(text{nucleotides_}, options, [&](auto const& sa) { write_arrays(files.mbw, sa, options.machine.threads); });
}

}  // namespace ordo::inline v0::suffix
