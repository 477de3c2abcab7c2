#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "suffix/aligners/run_files.hpp"

/// The format FMD of fermi and ropebwt: runs in blocks of eight words, then a table of blocks by rows.
namespace ordo::inline v0::suffix::fmd {

inline constexpr std::uint64_t num_letters = num_dna_codes;
inline constexpr unsigned letter_bits = 3;
inline constexpr std::uint64_t block_words = 8, group_words = std::uint64_t{1} << 23;  // the last word of a group is not used

using counts = std::array<std::uint64_t, num_letters>;

inline std::uint64_t add_up(counts const& all) {
  std::uint64_t sum = 0;
  for (std::uint64_t const letter_count : all) sum += letter_count;
  return sum;
}

constexpr unsigned floor_log2(std::uint64_t value) {
  return unsigned(std::bit_width(value)) - 1;
}

/// Elias's delta code of a run: the length of the length of the number, its length, and the number, without the first bits of
/// each; then the letter.
struct run_code {
  std::uint64_t word;
  unsigned width;

  explicit run_code(dna_run const& run) {
    std::uint64_t const rows = run.rows();
    unsigned const bits = floor_log2(rows), bits_of_bits = floor_log2(bits + 1);
    std::uint64_t const code = (rows ^ std::uint64_t{1} << bits) | std::uint64_t(bits + 1) << bits;
    word = code << letter_bits | run.letter();
    width = 2 * bits_of_bits + 1 + bits + letter_bits;
  }
};

/// Encodes runs into blocks. Any number of threads add up the widths of codes, in which one thread then looks for the first run
/// of one block after the other. All else is done by any number of threads, too.
class encoder {
 public:
  explicit encoder(each_of const& each) : each_(each) {}

  /// Returns the runs that are not encoded yet, to which the caller appends.
  [[nodiscard]] run_list& runs() { return runs_; }
  /// Encodes all runs but those of the last block.
  void encode() {
    find_blocks();
    encode_blocks();
  }

  void write(sink& to) {
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) rows += runs_[i].rows();
    begin_block(runs_.size(), rows);
    encode_blocks();
    encode_block(num_blocks_ - 1, runs_.size(), runs_.size(), before_);  // without runs, for the counts of the one before
    std::uint64_t const size = (num_blocks_ - 1) * block_words + head_words(sum_before_);
    words_.resize(8 * size);
    std::vector<std::uint64_t> const frames = make_frames();
    std::uint64_t const row = num_letters + 1;
    std::uint32_t const shape = std::uint32_t(num_letters) << 16 | floor_log2(block_words);
    std::string head = "RLD\3";
    auto const put = [&](auto value) { head.append(reinterpret_cast<char const*>(&value), sizeof(value)); };
    put(shape);
    put(std::uint64_t{0});
    put(std::uint64_t(8 * size));
    put(std::uint64_t(frames.size() / row));
    for (std::uint64_t const count : all_) put(count);
    to.expect(head.size() + 8 * (size + frames.size()));
    to.write(std::span<char const>(head));
    to.write(std::as_const(words_).span());
    to.write({reinterpret_cast<char const*>(frames.data()), 8 * frames.size()});
  }

 private:
  // Returns the number of words of a block in which codes may be.
  [[nodiscard]] static std::uint64_t usable_words(std::uint64_t block) {
    return block_words - ((block + 1) * block_words % group_words == 0 ? 1 : 0);
  }
  [[nodiscard]] static unsigned count_bytes(std::uint64_t sum) { return sum < 0x4000 ? 2 : sum < 0x40000000 ? 4 : 8; }
  // Returns the words of the counts of a block before, whose sum is known.
  [[nodiscard]] static std::uint64_t head_words(std::uint64_t sum) { return ((num_letters + 1) * count_bytes(sum) + 7) / 8; }

  /// Bits of the codes of some runs, and their rows.
  struct extent {
    std::uint64_t bits = 0, rows = 0;
  };

  /// Begins a block with a run. @param rows  those of the block before
  void begin_block(std::size_t run, std::uint64_t rows) {
    sum_before_ = rows;
    firsts_.push_back(run);
    room_ = 64 * (usable_words(num_blocks_) - head_words(sum_before_));
    ++num_blocks_;
  }
  void find_blocks() {
    constexpr std::size_t part_runs = std::size_t{1} << 16, min_width = 1 + letter_bits;
    std::size_t const end = runs_.size();
    std::vector<extent> of_parts((end + part_runs - 1) / part_runs);
    extents_.resize(end);
    each_(of_parts.size(), [&](std::size_t part) {
      extent sum;
      for (std::size_t i = part * part_runs; i < std::min((part + 1) * part_runs, end); ++i) {
        sum.bits += run_code(runs_[i]).width;
        sum.rows += runs_[i].rows();
        extents_[i] = sum;
      }
      of_parts[part] = sum;
    });
    for (extent before; extent & of_part : of_parts) {
      extent const through{before.bits + of_part.bits, before.rows + of_part.rows};
      of_part = std::exchange(before, through);
    }
    auto const before = [&](std::size_t run) {
      if (run == 0) return extent{};
      extent const &of_part = of_parts[(run - 1) / part_runs], &inside = extents_[run - 1];
      return extent{of_part.bits + inside.bits, of_part.rows + inside.rows};
    };
    while (true) {
      std::size_t const first = firsts_.back();
      extent const begin = before(first);
      std::size_t next = first + 1, left = std::min<std::size_t>(first + room_ / min_width + 1, end) - std::min(next, end);
      while (left != 0) {
        std::size_t const half = left / 2;
        bool const fits = before(next + half + 1).bits - begin.bits < room_;
        next = fits ? next + half + 1 : next;
        left = fits ? left - half - 1 : half;
      }
      if (next >= end) return;
      begin_block(next, before(next).rows - begin.rows);
    }
  }
  /// Encodes the blocks whose last runs are known, and removes their runs.
  void encode_blocks() {
    std::size_t const blocks = firsts_.size() - 1, first = num_blocks_ - 1 - blocks;
    if (blocks == 0) return;
    words_.resize(8 * num_blocks_ * block_words);
    constexpr std::size_t part_blocks = 1024;
    std::vector<counts> of_parts((blocks + part_blocks - 1) / part_blocks);
    each_(of_parts.size(), [&](std::size_t part) {
      std::size_t const begin = part * part_blocks, end = std::min(begin + part_blocks, blocks);
      counts before = begin == 0 ? before_ : count_letters(begin - 1), all{};
      for (std::size_t k = begin; k < end; ++k) {
        before = encode_block(first + k, firsts_[k], firsts_[k + 1], before);
        for (std::size_t c = 0; c < num_letters; ++c) all[c] += before[c];
      }
      of_parts[part] = all;
    });
    for (counts const& of_part : of_parts)
      for (std::size_t c = 0; c < num_letters; ++c) all_[c] += of_part[c];
    before_ = count_letters(blocks - 1);
    runs_.drop(firsts_.back());
    firsts_ = {0};
  }
  [[nodiscard]] counts count_letters(std::size_t k) const {
    counts of{};
    for (std::size_t i = firsts_[k]; i < firsts_[k + 1]; ++i) of[runs_[i].letter()] += runs_[i].rows();
    return of;
  }
  /// Writes a block: the sum and counts of the one before, in numbers as wide as the sum needs, and the codes of some runs. The
  /// first two bits say how wide.
  /// @returns the counts of the runs
  counts encode_block(std::size_t block, std::size_t run, std::size_t end, counts const& before) {
    std::array<std::uint64_t, block_words> words{};
    std::uint64_t const sum = add_up(before);
    unsigned const bytes = count_bytes(sum);
    auto* const header = reinterpret_cast<char*>(words.data());
    std::memcpy(header, &sum, bytes);
    for (std::size_t c = 0; c < num_letters; ++c) std::memcpy(header + (c + 1) * bytes, &before[c], bytes);
    words[0] |= std::uint64_t(bytes == 2 ? 0 : bytes == 4 ? 1 : 2) << 62;
    std::size_t at = head_words(sum);
    unsigned room = 64;
    counts inside{};
    for (; run != end; ++run) {
      run_code const code(runs_[run]);
      if (code.width > room) {
        unsigned const rest = code.width - room;
        words[at++] |= code.word >> rest;
        room = 64 - rest;
        words[at] = code.word << room;
      } else {
        room -= code.width;
        words[at] |= code.word << room;
      }
      inside[runs_[run].letter()] += runs_[run].rows();
    }
    std::memcpy(words_.data() + block * sizeof(words), words.data(), sizeof(words));
    return inside;
  }

  // Returns for each 2^k rows the last block that begins before them, and the counts before it.
  [[nodiscard]] std::vector<std::uint64_t> make_frames() const {
    std::uint64_t const row = num_letters + 1, rows = add_up(all_), size = words_.size() / 8;
    unsigned const shift = log2_or_less(rows / (size / block_words + 1)) + 4;
    std::uint64_t const frames = ((rows + (std::uint64_t{1} << shift) - 1) >> shift) + 1;
    std::vector<std::uint64_t> table(frames * row);
    constexpr std::uint64_t part_blocks = std::uint64_t{1} << 14;
    std::uint64_t const last = (size - 1) / block_words;  // the first block has nothing before it
    std::vector<counts> of_parts((last + part_blocks - 1) / part_blocks);
    // Calls f(block) for each block of a part, with the counts before it. @param sum  those before the part
    auto const each_block = [&](std::size_t part, counts& sum, auto f) {
      for (std::uint64_t block = part * part_blocks + 1; block <= std::min((part + 1) * part_blocks, last); ++block) {
        add_counts(block, sum);
        f(block);
      }
    };
    each_(of_parts.size(), [&](std::size_t part) { each_block(part, of_parts[part], [](std::uint64_t) {}); });
    for (counts before{}; counts & of_part : of_parts) {
      counts through = before;
      for (std::size_t c = 0; c < num_letters; ++c) through[c] += of_part[c];
      of_part = std::exchange(before, through);
    }
    auto const find_frame = [&](counts const& before) { return (add_up(before) >> shift) + 1; };
    each_(of_parts.size(), [&](std::size_t part) {
      counts before = of_parts[part];
      each_block(part, before, [&](std::uint64_t block) {
        std::uint64_t const frame = find_frame(before);
        if (frame >= frames) return;
        if (block != last) {
          counts next = before;
          add_counts(block + 1, next);
          if (find_frame(next) == frame) return;
        }
        table[frame * row] = block * block_words;
        std::memcpy(table.data() + frame * row + 1, before.data(), sizeof(before));
      });
    });
    for (std::uint64_t frame = 1; frame < frames; ++frame)
      if (table[frame * row] == 0) std::memcpy(table.data() + frame * row, table.data() + (frame - 1) * row, 8 * row);
    return table;
  }
  // Adds the counts that a block has: those of the one before.
  void add_counts(std::uint64_t block, counts& sum) const {
    char const* const header = words_.data() + block * 8 * block_words;
    std::uint64_t first = 0;
    std::memcpy(&first, header, sizeof(first));
    unsigned const bytes = 2U << (first >> 62);
    for (std::size_t c = 0; c < num_letters; ++c) {
      std::uint64_t count = 0;
      std::memcpy(&count, header + (c + 1) * bytes, bytes);
      if (bytes == 4) count &= 0x3fffffff;
      sum[c] += count;
    }
  }
  // The logarithm of 0 is -1, as in the table of the format's first program.
  [[nodiscard]] static unsigned log2_or_less(std::uint64_t value) { return value == 0 ? ~0U : floor_log2(value); }

  each_of const& each_;
  host_bytes words_;
  run_list runs_;                          // from the first one of the open block on
  std::vector<extent> extents_;            // bits and rows of a part's runs up to each one
  std::vector<std::size_t> firsts_ = {0};  // the first runs of blocks that are not written; the last one is open
  std::size_t num_blocks_ = 1;
  std::uint64_t sum_before_ = 0;                                 // rows of the block before the open one
  std::uint64_t room_ = 64 * (usable_words(0) - head_words(0));  // bits of the open block for codes; not all are used
  counts all_{}, before_{};                                      // letters so far, and those of the last block that is written
};

}  // namespace ordo::inline v0::suffix::fmd
