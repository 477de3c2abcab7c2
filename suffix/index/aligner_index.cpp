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
#include "ordo/host_bytes.hpp"

namespace ordo::inline v0::suffix {
namespace {

constexpr std::string_view nucleotides = "ACGT";
constexpr unsigned seed = 11;

// Returns 0 to 3 for A, C, G and T, in either case, and 4 for any other letter.
constexpr unsigned code_of(char letter) {
  switch (letter) {
    case 'A':
    case 'a':
      return 0;
    case 'C':
    case 'c':
      return 1;
    case 'G':
    case 'g':
      return 2;
    case 'T':
    case 't':
      return 3;
    default:
      return 4;
  }
}

void write_text(sink& to, std::string_view text) {
  to.write(std::span<char const>(text));
}

template <class Number>
void put(std::string& to, Number value) {
  to.append(reinterpret_cast<char const*>(&value), sizeof(value));  // on little-endian machines
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
    nucleotides_ += suffix::nucleotides[code];
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
  // bwa's array begins with the empty suffix. Its BWT lacks the row of the whole text, the primary one.
  std::uint64_t const primary = std::uint64_t(std::ranges::find(sa, Index{0}) - sa.begin()) + 1;
  auto const code_before = [&](std::uint64_t row) {
    return code_of(nucleotides_[(row == 0 ? n : std::uint64_t(sa[row - 1])) - 1]);
  };
  // Blocks of 128 letters: four counts of 64 bits of the letters before, then the letters, 16 in a word of 32 bits; the counts
  // of all letters at the end.
  constexpr std::uint64_t block_letters = 128, count_bytes = 32;
  std::uint64_t const blocks = (n + block_letters - 1) / block_letters;
  std::uint64_t const bytes = (n + 15) / 16 * 4 + (blocks + 1) * count_bytes;
  host_bytes bwt(bytes);
  using counts = std::array<std::uint64_t, 4>;
  counts all{};
  tbb::task_arena arena(threads_for(threads));
  arena.execute([&] {
    host_detail::blocks const ranges(blocks, 64);
    std::vector<counts> before(ranges.count + 1);
    auto const block_at = [&](std::uint64_t block) { return bwt.data() + block * (count_bytes + block_letters / 4); };
    ranges.run([&](std::size_t range, std::size_t first, std::size_t last) {
      counts& here = before[range + 1];
      for (std::uint64_t block = first; block < last; ++block) {
        std::memcpy(block_at(block), here.data(), count_bytes);
        std::uint64_t const begin = block * block_letters, end = std::min(n, begin + block_letters);
        for (std::uint64_t i = begin; i < end; i += 16) {
          std::uint32_t word = 0;
          for (std::uint64_t k = i; k < std::min(end, i + 16); ++k) {
            constexpr std::uint64_t ahead = 32;
            if (k + ahead < n) __builtin_prefetch(nucleotides_.data() + sa[k + ahead] - (sa[k + ahead] != 0));
            unsigned const code = code_before(k < primary ? k : k + 1);
            word |= std::uint32_t(code) << (2 * (15 - k % 16));
            ++here[code];
          }
          std::memcpy(block_at(block) + count_bytes + (i - begin) / 4, &word, 4);
        }
      }
    });
    for (std::size_t range = 0; range < ranges.count; ++range)
      for (std::size_t c = 0; c < 4; ++c) before[range + 1][c] += before[range][c];
    ranges.run([&](std::size_t range, std::size_t first, std::size_t last) {
      for (std::uint64_t block = first; block < last; ++block) {
        counts here;
        std::memcpy(here.data(), block_at(block), count_bytes);
        for (std::size_t c = 0; c < 4; ++c) here[c] += before[range][c];
        std::memcpy(block_at(block), here.data(), count_bytes);
      }
    });
    all = before.back();
    std::memcpy(bwt.data() + bytes - count_bytes, all.data(), count_bytes);
  });

  std::string head;
  put(head, primary);
  std::uint64_t below = 0;
  for (std::uint64_t const count : all) put(head, below += count);
  files.bwt.expect(head.size() + bytes);
  write_text(files.bwt, head);
  files.bwt.write(std::span<char const>(bwt.data(), bytes));

  constexpr std::uint64_t interval = 32;
  std::uint64_t const rows = (n + interval) / interval;
  put(head, interval);
  put(head, n);
  files.sa.expect(head.size() + (rows - 1) * 8);
  for (std::uint64_t row = 1; row < rows; ++row) {
    put(head, std::uint64_t(sa[row * interval - 1]));
    if (head.size() < std::size_t{1} << 20) continue;
    write_text(files.sa, head);
    head.clear();
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
  auto const write_part = [&](std::size_t min_bytes) {
    if (part.size() < min_bytes) return;
    write_text(files.bwt, part);
    part.clear();
  };
  auto const each_entry = [&](auto add) {
    for (std::uint64_t entry = 0; entry < entries; ++entry) {
      add(position(entry * interval));
      write_part(std::size_t{1} << 20);
    }
  };
  each_entry([&](std::uint64_t p) { put(part, std::uint8_t(p >> 32)); });
  each_entry([&](std::uint64_t p) { put(part, std::uint32_t(p)); });
  put(part, std::uint64_t(std::ranges::find(sa, Index{0}) - sa.begin()) + 1);
  write_part(0);

  files.letters.expect(size());
  for (std::uint64_t p = 0; p < size(); ++p) {
    part += static_cast<char>(code_of(nucleotides_[p]));
    if (part.size() < std::size_t{1} << 20) continue;
    write_text(files.letters, part);
    part.clear();
  }
  write_text(files.letters, part);
}

void bwa_reference::add_reverse_complement() {
  std::size_t const n = nucleotides_.size();
  nucleotides_.reserve(2 * n);
  for (std::size_t i = n; i-- > 0;) nucleotides_ += suffix::nucleotides[3 - code_of(nucleotides_[i])];
}

template <class Files>
build_report bwa_reference::write_all(Files const& files, build_options const& options) {
  if (size() == 0) throw input_error("no letters: reference: an index needs at least one");
  write_names(files.amb, files.ann);
  write_letters(files.pac);
  add_reverse_complement();
  auto const with = [&]<class Index>(Index) {
    std::vector<Index> sa(size());
    build_report const report = build<Index>(text{nucleotides_}, arrays<Index>{sa, {}, {}}, options);
    if (options.on_phase) options.on_phase("write", size());
    write_arrays(files, sa, options.machine.threads);
    return report;
  };
  return index_fits(4, size(), 1) ? with(std::uint32_t{}) : with(std::uint64_t{});
}

build_report bwa_reference::write(bwa_files const& files, build_options const& options) {
  return write_all(files, options);
}

build_report bwa_reference::write(bwa_mem2_files const& files, build_options const& options) {
  return write_all(files, options);
}

}  // namespace ordo::inline v0::suffix
