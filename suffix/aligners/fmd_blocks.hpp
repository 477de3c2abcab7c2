#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ordo/io.hpp"
#include "suffix/aligners/dna_codes.hpp"

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

/// Encodes runs into blocks.
class encoder {
 public:
  encoder() : words_(block_words) {}

  void add(unsigned letter, std::uint64_t length) {
    // Elias's delta code: the length of the length of the number, its length, and the number, without the first bits of each.
    unsigned const bits = floor_log2(length), bits_of_bits = floor_log2(bits + 1);
    std::uint64_t const code = (length ^ std::uint64_t{1} << bits) | std::uint64_t(bits + 1) << bits;
    unsigned width = 2 * bits_of_bits + 1 + bits + letter_bits;
    std::uint64_t const word = code << letter_bits | letter;
    if (width >= room_ && at_ == last_word()) begin_block();
    if (width > room_) {
      width -= room_;
      words_[at_++] |= word >> width;
      room_ = 64 - width;
      words_[at_] = word << room_;
    } else {
      room_ -= width;
      words_[at_] |= word << room_;
    }
    all_[letter] += length;
  }

  void write(sink& to) {
    begin_block();
    words_.resize(at_);
    std::vector<std::uint64_t> const frames = make_frames();
    std::uint64_t const row = num_letters + 1;
    std::uint32_t const shape = std::uint32_t(num_letters) << 16 | floor_log2(block_words);
    std::string head = "RLD\3";
    auto const put = [&](auto value) { head.append(reinterpret_cast<char const*>(&value), sizeof(value)); };
    put(shape);
    put(std::uint64_t{0});
    put(std::uint64_t(8 * words_.size()));
    put(std::uint64_t(frames.size() / row));
    for (std::uint64_t const count : all_) put(count);
    to.expect(head.size() + 8 * (words_.size() + frames.size()));
    to.write(std::span<char const>(head));
    for (std::vector<std::uint64_t> const* const part : {&std::as_const(words_), &frames})
      to.write({reinterpret_cast<char const*>(part->data()), 8 * part->size()});
  }

 private:
  // Returns the last word of the block that may hold codes.
  [[nodiscard]] std::uint64_t last_word() const {
    std::uint64_t const end = block_ + block_words;
    return end - (end % group_words == 0 ? 2 : 1);
  }
  [[nodiscard]] static unsigned count_bytes(std::uint64_t sum) { return sum < 0x4000 ? 2 : sum < 0x40000000 ? 4 : 8; }

  // Begins a block with the sum and counts of the one before, in numbers as wide as the sum needs. The first two bits say how
  // wide.
  void begin_block() {
    block_ += block_words;
    words_.resize(block_ + block_words);
    counts inside;
    for (std::size_t c = 0; c < num_letters; ++c) inside[c] = all_[c] - before_[c];
    before_ = all_;
    std::uint64_t const sum = add_up(inside);
    unsigned const bytes = count_bytes(sum);
    auto* const header = reinterpret_cast<char*>(words_.data() + block_);
    std::memcpy(header, &sum, bytes);
    for (std::size_t c = 0; c < num_letters; ++c) std::memcpy(header + (c + 1) * bytes, &inside[c], bytes);
    words_[block_] |= std::uint64_t(bytes == 2 ? 0 : bytes == 4 ? 1 : 2) << 62;
    at_ = block_ + ((num_letters + 1) * bytes + 7) / 8;
    room_ = 64;
  }

  // Returns for each 2^k rows the last block that begins before them, and the counts before it.
  [[nodiscard]] std::vector<std::uint64_t> make_frames() const {
    std::uint64_t const row = num_letters + 1, rows = add_up(all_);
    unsigned const shift = log2_or_less(rows / (words_.size() / block_words + 1)) + 4;
    std::uint64_t const frames = ((rows + (std::uint64_t{1} << shift) - 1) >> shift) + 1;
    std::vector<std::uint64_t> table(frames * row);
    counts before{};
    std::uint64_t frame = 1;
    for (std::uint64_t block = block_words; block <= words_.size() / block_words * block_words && block < words_.size();
         block += block_words) {
      auto const* const header = reinterpret_cast<char const*>(words_.data() + block);
      unsigned const bytes = 2U << (words_[block] >> 62);
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

  std::vector<std::uint64_t> words_;
  std::uint64_t block_ = 0, at_ = 2;  // the block's first word; the next one to write to
  unsigned room_ = 64;                // bits of that word
  counts all_{}, before_{};           // letters so far, and those before the block
};

}  // namespace ordo::inline v0::suffix::fmd
