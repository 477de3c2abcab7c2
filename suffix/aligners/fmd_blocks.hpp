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
    unsigned const bits = floor_log2(run.rows), bits_of_bits = floor_log2(bits + 1);
    std::uint64_t const code = (run.rows ^ std::uint64_t{1} << bits) | std::uint64_t(bits + 1) << bits;
    word = code << letter_bits | run.letter;
    width = 2 * bits_of_bits + 1 + bits + letter_bits;
  }
};

/// Encodes runs into blocks. Where blocks begin follows from the widths of codes, one after the other. All else is done by any
/// number of threads.
class encoder {
 public:
  explicit encoder(each_of const& each) : each_(each) {}

  /// Returns the runs that are not encoded yet, to which the caller appends.
  [[nodiscard]] std::vector<dna_run>& runs() { return runs_; }
  /// Encodes all runs but those of the last block.
  void encode() {
    find_blocks();
    encode_blocks();
  }

  void write(sink& to) {
    begin_block(runs_.size());
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

  /// Begins a block with a run.
  void begin_block(std::size_t run) {
    sum_before_ = 0;
    for (std::size_t i = firsts_.back(); i < run; ++i) sum_before_ += runs_[i].rows;
    firsts_.push_back(run);
    room_ = 64 * (usable_words(num_blocks_) - head_words(sum_before_));
    ++num_blocks_;
  }
  void find_blocks() {
    constexpr std::size_t part_runs = std::size_t{1} << 16;
    widths_.resize(runs_.size());
    each_((runs_.size() + part_runs - 1) / part_runs, [&](std::size_t part) {
      std::size_t const end = std::min((part + 1) * part_runs, runs_.size());
      for (std::size_t i = part * part_runs; i < end; ++i) widths_[i] = std::uint8_t(run_code(runs_[i]).width);
    });
    // Few instructions, because only one thread does this.
    std::uint8_t const* const widths = widths_.data();
    std::size_t const end = runs_.size();
    std::uint64_t room = room_;
    for (std::size_t run = num_placed_; run < end; ++run) {
      if (widths[run] >= room) {
        begin_block(run);
        room = room_;
      }
      room -= widths[run];
    }
    room_ = room;
    num_placed_ = end;
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
    runs_.erase(runs_.begin(), runs_.begin() + std::ptrdiff_t(firsts_.back()));
    num_placed_ -= firsts_.back();
    firsts_ = {0};
  }
  [[nodiscard]] counts count_letters(std::size_t k) const {
    counts of{};
    for (std::size_t i = firsts_[k]; i < firsts_[k + 1]; ++i) of[runs_[i].letter] += runs_[i].rows;
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
      inside[runs_[run].letter] += runs_[run].rows;
    }
    std::memcpy(words_.data() + block * sizeof(words), words.data(), sizeof(words));
    return inside;
  }

  // Returns for each 2^k rows the last block that begins before them, and the counts before it.
  [[nodiscard]] std::vector<std::uint64_t> make_frames() const {
    std::uint64_t const row = num_letters + 1, rows = add_up(all_), size = words_.size() / 8;
    auto const* const words = reinterpret_cast<std::uint64_t const*>(words_.data());
    unsigned const shift = log2_or_less(rows / (size / block_words + 1)) + 4;
    std::uint64_t const frames = ((rows + (std::uint64_t{1} << shift) - 1) >> shift) + 1;
    std::vector<std::uint64_t> table(frames * row);
    counts before{};
    std::uint64_t frame = 1;
    for (std::uint64_t block = block_words; block <= size / block_words * block_words && block < size; block += block_words) {
      auto const* const header = reinterpret_cast<char const*>(words + block);
      unsigned const bytes = 2U << (words[block] >> 62);
      for (std::size_t c = 0; c < num_letters; ++c) {
        std::uint64_t count = 0;
        std::memcpy(&count, header + (c + 1) * bytes, bytes);
        if (bytes == 4) count &= 0x3fffffff;
        before[c] += count;
      }
      while (add_up(before) >= frame << shift) ++frame;
      if (frame >= frames) continue;
      table[frame * row] = block;
      std::memcpy(table.data() + frame * row + 1, before.data(), sizeof(before));
    }
    for (frame = 1; frame < frames; ++frame)
      if (table[frame * row] == 0) std::memcpy(table.data() + frame * row, table.data() + (frame - 1) * row, 8 * row);
    return table;
  }
  // The logarithm of 0 is -1, as in the table of the format's first program.
  [[nodiscard]] static unsigned log2_or_less(std::uint64_t value) { return value == 0 ? ~0U : floor_log2(value); }

  each_of const& each_;
  host_bytes words_;
  std::vector<dna_run> runs_;              // from the first one of the open block on
  std::vector<std::uint8_t> widths_;       // the bits of their codes
  std::vector<std::size_t> firsts_ = {0};  // the first runs of blocks that are not written; the last one is open
  std::size_t num_blocks_ = 1, num_placed_ = 0;
  std::uint64_t sum_before_ = 0;                                 // rows of the block before the open one
  std::uint64_t room_ = 64 * (usable_words(0) - head_words(0));  // bits that the open block has left; not all are used
  counts all_{}, before_{};                                      // letters so far, and those of the last block that is written
};

}  // namespace ordo::inline v0::suffix::fmd
