#include "ordo/suffix/aligner_index.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"

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

void bwa_reference::write_names(bwa_files const& files) const {
  std::string text = fmt::format("{} {} {}\n", size(), records(), seed);
  for (record const& one : records_)
    text += fmt::format("0 {} {}\n{} {} {}\n", one.name, one.comment.empty() ? "(null)" : one.comment, one.begin, one.size,
                        one.holes);
  write_text(files.ann, text);
  text = fmt::format("{} {} {}\n", size(), records(), holes_.size());
  for (hole const& one : holes_) text += fmt::format("{} {} {}\n", one.begin, one.size, one.letter);
  write_text(files.amb, text);
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
build_report bwa_reference::write_arrays(bwa_files const& files, build_options const& options) const {
  std::uint64_t const n = size();  // both strands
  std::vector<Index> sa(n);
  build_report report = build<Index>(text{nucleotides_}, arrays<Index>{sa, {}, {}}, options);
  if (options.on_phase) options.on_phase("write", n);

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
  tbb::task_arena arena(threads_for(options.machine.threads));
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
  return report;
}

build_report bwa_reference::write(bwa_files const& files, build_options const& options) {
  if (size() == 0) throw input_error("no letters: reference: an index needs at least one");
  write_names(files);
  write_letters(files.pac);
  std::size_t const n = nucleotides_.size();
  nucleotides_.reserve(2 * n);
  for (std::size_t i = n; i-- > 0;) nucleotides_ += suffix::nucleotides[3 - code_of(nucleotides_[i])];
  return index_fits(4, 2 * n, 1) ? write_arrays<std::uint32_t>(files, options) : write_arrays<std::uint64_t>(files, options);
}

}  // namespace ordo::inline v0::suffix
