#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ordo/detail/load.hpp"
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
  std::uint64_t word = 0;
  unsigned width = 0;

  constexpr run_code() = default;
  constexpr explicit run_code(dna_run run) {
    std::uint64_t const rows = run.rows();
    unsigned const bits = floor_log2(rows), bits_of_bits = floor_log2(bits + 1);
    std::uint64_t const code = (rows ^ std::uint64_t{1} << bits) | std::uint64_t(bits + 1) << bits;
    word = code << letter_bits | run.letter();
    width = 2 * bits_of_bits + 1 + bits + letter_bits;
  }
};

/// The codes of short runs, which most runs are.
inline constexpr auto short_codes = [] {
  constexpr std::uint64_t max_rows = 32;
  std::array<run_code, max_rows << dna_run::letter_bits> codes;
  for (std::uint64_t rows = 1; rows < max_rows; ++rows)
    for (unsigned letter = 0; letter < num_letters; ++letter) {
      dna_run const run(letter, rows);
      codes[run.word()] = run_code(run);
    }
  return codes;
}();

/// Their widths, in a few lines of a cache.
inline constexpr auto short_widths = [] {
  std::array<std::uint8_t, short_codes.size()> widths{};
  for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::uint8_t(short_codes[i].width);
  return widths;
}();

inline run_code find_code(dna_run run) {
  return run.word() < short_codes.size() ? short_codes[run.word()] : run_code(run);
}
inline unsigned find_width(dna_run run) {
  return run.word() < short_widths.size() ? short_widths[run.word()] : run_code(run).width;
}

/// Encodes runs into blocks. Any number of threads add up the widths of codes, in which one thread then looks for the first run
/// of one block after the other, while the others encode the runs before and read the next ones. (Guesses where the blocks of a
/// part begin meet the true ones after thousands of blocks only.) Groups of blocks are written while others are encoded if the
/// sink is addressable.
class encoder {
 public:
  encoder(each_of const& each, sink& to) : each_(each), to_(to), writes_early_(to.expect_unknown()) {}

  /// Encodes and writes the runs that `next` appends to a list, until it returns false.
  void encode(std::function<bool(run_list&)> const& next) {
    stretch stretches[3];
    stretch *before = &stretches[0], *now = &stretches[1], *after = &stretches[2];
    bool more = now->read(next);
    add_up_widths(*now);
    while (true) {
      auto search = begin_search(*now);
      encode_blocks(*before);
      more = more && after->read(next);
      search.get();
      if (!more) break;
      after->go_on_from(*now, num_blocks_ - 1);
      add_up_widths(*after);
      std::swap(before, now);
      std::swap(now, after);
    }
    finish(*now);
  }

 private:
  static constexpr std::uint64_t group_blocks = group_words / block_words, head_bytes = 4 + 4 + 3 * 8 + 8 * num_letters;
  static constexpr std::size_t max_block_runs = 128;  // more than a block has
  static constexpr std::size_t part_runs = std::size_t{1} << 15;

  /// Runs that are read at once, after those of a block that is still open.
  struct stretch {
    run_list runs;                                       // at first some without rows, which are in no block
    std::vector<std::size_t> firsts = {max_block_runs};  // the first runs of blocks, the last of which is open
    std::uint64_t first_block = 0;                       // the number of the first one

    bool read(std::function<bool(run_list&)> const& next) {
      constexpr unsigned no_letter = (1U << dna_run::letter_bits) - 1;  // `next` may compare a run with the one before
      runs.resize(max_block_runs);
      std::fill_n(runs.data(), max_block_runs, dna_run(no_letter, 0));
      return next(runs);
    }
    /// Begins with the open block of others.
    void go_on_from(stretch const& before, std::uint64_t block) {
      std::size_t const first = before.firsts.back(), begin = max_block_runs - (before.runs.size() - first);
      std::copy(before.runs.data() + first, before.runs.data() + before.runs.size(), runs.data() + begin);
      firsts = {begin};
      first_block = block;
    }
    [[nodiscard]] std::size_t num_closed() const { return firsts.size() - 1; }
  };

  // Returns the number of words of a block in which codes may be.
  [[nodiscard]] static std::uint64_t usable_words(std::uint64_t block) {
    return block_words - ((block + 1) % group_blocks == 0 ? 1 : 0);
  }
  [[nodiscard]] static unsigned count_bytes(std::uint64_t sum) { return sum < 0x4000 ? 2 : sum < 0x40000000 ? 4 : 8; }
  // Returns the words of the counts of a block before, whose sum is known.
  [[nodiscard]] static std::uint64_t head_words(std::uint64_t sum) { return ((num_letters + 1) * count_bytes(sum) + 7) / 8; }

  struct part_extent {
    std::uint64_t bits = 0;
    std::uint32_t rows = 0;
    bool is_long = false;  // a block may have 2^32 rows
  };

  void add_up_widths(stretch const& of) {
    constexpr std::uint64_t max_rows = std::uint64_t{1} << 25;
    static_assert(max_rows * max_block_runs <= std::uint64_t{1} << 32);
    std::size_t const end = of.runs.size();
    of_parts_.assign((end + part_runs - 1) / part_runs, {});
    bits_.resize(end);
    rows_.resize(end);
    each_(of_parts_.size(), [&](std::size_t part) {
      std::uint32_t bits = 0, sum = 0;
      std::uint64_t longest = 0;
      for (std::size_t i = part * part_runs; i < std::min((part + 1) * part_runs, end); ++i) {
        std::uint64_t const rows = of.runs[i].rows();
        longest = std::max(longest, rows);
        bits += find_width(of.runs[i]);
        sum += std::uint32_t(rows);
        bits_[i] = bits;
        rows_[i] = sum;
      }
      of_parts_[part] = {bits, sum, longest >= max_rows};
    });
    for (part_extent before; part_extent & of_part : of_parts_) {
      part_extent const through{before.bits + of_part.bits, before.rows + of_part.rows, of_part.is_long};
      of_part.bits = before.bits;
      of_part.rows = before.rows;
      before = through;
    }
  }
  [[nodiscard]] std::uint64_t bits_before(std::size_t run) const {
    return run == 0 ? 0 : of_parts_[(run - 1) / part_runs].bits + bits_[run - 1];
  }
  [[nodiscard]] std::uint32_t rows_before(std::size_t run) const {
    return run == 0 ? 0 : of_parts_[(run - 1) / part_runs].rows + rows_[run - 1];
  }
  [[nodiscard]] std::uint64_t count_rows(stretch const& of, std::size_t first, std::size_t last) const {
    if (!of_parts_[first / part_runs].is_long && !of_parts_[(last - 1) / part_runs].is_long)
      return rows_before(last) - rows_before(first);
    std::uint64_t rows = 0;
    for (std::size_t i = first; i < last; ++i) rows += of.runs[i].rows();
    return rows;
  }
  /// Looks for the blocks of runs whose widths are added up: by a thread of its own if they are many.
  [[nodiscard]] std::future<void> begin_search(stretch& of) {
    constexpr std::size_t worth_a_thread = std::size_t{1} << 16;
    auto const policy = of.runs.size() < worth_a_thread ? std::launch::deferred : std::launch::async | std::launch::deferred;
    return std::async(policy, [&] { find_blocks(of); });
  }
  void find_blocks(stretch& of) {
    std::size_t const end = of.runs.size();
    while (true) {
      std::size_t const first = of.firsts.back();
      std::uint64_t const room = 64 * (usable_words(num_blocks_ - 1) - head_words(sum_before_));
      std::size_t next = first;  // without room, the next block begins with the same run
      if (room != 0) {
        next = find_near(first, room, end);
        if (next == 0) next = find_next(first, room, end);
        if (next >= end) return;
        block_runs_ = next - first;
        // The sums that the sixth block from here on needs are in the cache of another core.
        std::size_t const ahead = std::min(next + 6 * block_runs_, end - 1);
        prefetch(&bits_[ahead]);
        prefetch(&rows_[ahead]);
      }
      begin_block(of, next, next == first ? 0 : count_rows(of, first, next));
    }
  }
  /// Finds the run after a block if this has about as many runs as the one before, as most have: by no branch that depends on
  /// their number.
  /// @returns 0 if it has not
  [[nodiscard]] std::size_t find_near(std::size_t first, std::uint64_t room, std::size_t end) const {
    constexpr std::size_t window = 16;
    std::size_t const begin = first + std::max(block_runs_, window / 2 + 1) - window / 2;
    if (begin + window > end || (begin - 1) / part_runs != (begin + window - 1) / part_runs) return 0;
    auto const limit = std::uint32_t(bits_before(first) + room - of_parts_[begin / part_runs].bits);
    std::uint32_t fits = 0;
    for (std::size_t i = 0; i < window; ++i) fits += (bits_[begin - 1 + i] - limit) >> 31;
    return fits == 0 || fits == window ? 0 : begin - 1 + fits;  // the last run before which all fits
  }
  /// Finds the run after a block.
  [[nodiscard]] std::size_t find_next(std::size_t first, std::uint64_t room, std::size_t end) const {
    constexpr std::size_t min_width = 1 + letter_bits;
    std::uint64_t const begin = bits_before(first);
    std::size_t low = first + 1, high = std::min<std::size_t>(first + room / min_width, end);
    while (low < high) {
      std::size_t const middle = high - (high - low) / 2;
      if (bits_before(middle) - begin < room)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
  /// Begins a block with a run. @param rows  those of the block before
  void begin_block(stretch& of, std::size_t run, std::uint64_t rows) {
    of.firsts.push_back(run);
    sum_before_ = rows;
    ++num_blocks_;
  }
  /// Encodes the blocks whose last runs are known.
  void encode_blocks(stretch const& of) {
    std::size_t const blocks = of.num_closed();
    if (blocks == 0) return;
    make_room(of.first_block + blocks);
    constexpr std::size_t part_blocks = 256;
    std::vector<counts> of_parts((blocks + part_blocks - 1) / part_blocks);
    each_(of_parts.size(), [&](std::size_t part) {
      std::size_t const begin = part * part_blocks, end = std::min(begin + part_blocks, blocks);
      counts before = begin == 0 ? before_ : count_letters(of, begin - 1), all{};
      for (std::size_t k = begin; k < end; ++k) {
        before = encode_block(of.first_block + k, of.runs.data() + of.firsts[k], of.runs.data() + of.firsts[k + 1], before);
        for (std::size_t c = 0; c < num_letters; ++c) all[c] += before[c];
      }
      of_parts[part] = all;
    });
    for (counts const& of_part : of_parts)
      for (std::size_t c = 0; c < num_letters; ++c) all_[c] += of_part[c];
    before_ = count_letters(of, blocks - 1);
    write_groups((of.first_block + blocks) / group_blocks);
  }
  [[nodiscard]] static counts count_letters(stretch const& of, std::size_t k) {
    counts letters{};
    for (std::size_t i = of.firsts[k]; i < of.firsts[k + 1]; ++i) letters[of.runs[i].letter()] += of.runs[i].rows();
    return letters;
  }
  /// Writes a block: the sum and counts of the one before, in numbers as wide as the sum needs, and the codes of some runs. The
  /// first two bits say how wide.
  /// @returns the counts of the runs
  counts encode_block(std::size_t block, dna_run const* run, dna_run const* end, counts const& before) {
    std::array<std::uint64_t, block_words> words{};
    std::uint64_t const sum = add_up(before);
    unsigned const bytes = count_bytes(sum);
    with_number(bytes, [&](auto zero) {
      auto* const header = reinterpret_cast<char*>(words.data());
      auto const put = [&](std::size_t i, std::uint64_t count) {
        auto const number = decltype(zero)(count);
        std::memcpy(header + i * sizeof(number), &number, sizeof(number));
      };
      put(0, sum);
      for (std::size_t c = 0; c < num_letters; ++c) put(c + 1, before[c]);
    });
    words[0] |= std::uint64_t(bytes == 2 ? 0 : bytes == 4 ? 1 : 2) << 62;
    std::size_t at = head_words(sum);
    std::uint64_t word = 0;
    unsigned room = 64;
    counts inside{};
    for (; run != end; ++run) {
      run_code const code = find_code(*run);
      if (code.width > room) {
        unsigned const rest = code.width - room;
        words[at++] = word | code.word >> rest;
        room = 64 - rest;
        word = code.word << room;
      } else {
        room -= code.width;
        word |= code.word << room;
      }
      inside[run->letter()] += run->rows();
    }
    if (room != 64) words[at] = word;
    std::memcpy(block_at(block), words.data(), sizeof(words));
    return inside;
  }
  /// Encodes the last block, and writes what is not written.
  void finish(stretch& last) {
    std::uint64_t rows = 0;
    for (std::size_t i = last.firsts.back(); i < last.runs.size(); ++i) rows += last.runs[i].rows();
    begin_block(last, last.runs.size(), rows);
    encode_blocks(last);
    make_room(num_blocks_);
    encode_block(num_blocks_ - 1, nullptr, nullptr, before_);  // without runs, for the counts of the one before
    std::uint64_t const size = (num_blocks_ - 1) * block_words + head_words(rows);
    groups_.back().resize(8 * (size - (groups_.size() - 1) * group_words));
    std::vector<std::uint64_t> const frames = make_frames(size);
    std::uint64_t const row = num_letters + 1;
    std::uint32_t const shape = std::uint32_t(num_letters) << 16 | floor_log2(block_words);
    std::string head = "RLD\3";
    auto const put = [&](auto value) { head.append(reinterpret_cast<char const*>(&value), sizeof(value)); };
    put(shape);
    put(std::uint64_t{0});
    put(std::uint64_t(8 * size));
    put(std::uint64_t(frames.size() / row));
    for (std::uint64_t const count : all_) put(count);
    std::span<char const> const tail(reinterpret_cast<char const*>(frames.data()), 8 * frames.size());
    if (writes_early_) {
      write_groups(groups_.size());
      wait();
      to_.write_at(head_bytes + 8 * size, tail);
      to_.write_at(0, head);
      return;
    }
    to_.expect(head.size() + 8 * size + tail.size());
    to_.write(std::span<char const>(head));
    for (host_bytes const& group : groups_) to_.write(group.span());
    to_.write(tail);
  }

  /// Makes room for the words of some blocks.
  void make_room(std::uint64_t blocks) {
    std::uint64_t const words = blocks * block_words;
    for (std::uint64_t g = groups_.empty() ? 0 : groups_.size() - 1; g * group_words < words; ++g) {
      if (g == groups_.size()) groups_.emplace_back(g == 0 ? 0 : 8 * group_words);
      groups_[g].resize(8 * std::min(group_words, words - g * group_words));
    }
  }
  [[nodiscard]] char const* block_at(std::uint64_t block) const {
    return groups_[block / group_blocks].data() + block % group_blocks * 8 * block_words;
  }
  [[nodiscard]] char* block_at(std::uint64_t block) { return const_cast<char*>(std::as_const(*this).block_at(block)); }
  /// Begins to write the groups before one.
  void write_groups(std::size_t end) {
    if (!writes_early_ || end == written_) return;
    wait();
    std::vector<std::span<char const>> parts;
    for (std::size_t g = written_; g < end; ++g) parts.push_back(std::as_const(groups_[g]).span());
    writing_ = std::async([this, at = head_bytes + 8 * group_words * written_, parts = std::move(parts)]() mutable {
      for (std::span<char const> const part : parts) to_.write_at(std::exchange(at, at + part.size()), part);
    });
    written_ = end;
  }
  void wait() {
    if (writing_.valid()) writing_.get();  // writes now if no thread was available
  }

  // Returns for each 2^k rows the last block that begins before them, and the counts before it.
  [[nodiscard]] std::vector<std::uint64_t> make_frames(std::uint64_t size) const {
    std::uint64_t const row = num_letters + 1, rows = add_up(all_);
    unsigned const shift = log2_or_less(rows / (size / block_words + 1)) + 4;
    std::uint64_t const frames = ((rows + (std::uint64_t{1} << shift) - 1) >> shift) + 1;
    std::vector<std::uint64_t> table(frames * row);
    constexpr std::uint64_t part_blocks = std::uint64_t{1} << 14;
    std::uint64_t const last = (size - 1) / block_words;  // the first block has nothing before it
    std::vector<counts> of_parts((last + part_blocks - 1) / part_blocks);
    each_(of_parts.size(), [&](std::size_t part) {
      counts& sum = of_parts[part];
      for (std::uint64_t block = part * part_blocks + 1; block <= std::min((part + 1) * part_blocks, last); ++block)
        add_counts(block, sum);
    });
    for (counts before{}; counts & of_part : of_parts) {
      counts through = before;
      for (std::size_t c = 0; c < num_letters; ++c) through[c] += of_part[c];
      of_part = std::exchange(before, through);
    }
    each_(of_parts.size(), [&](std::size_t part) {
      counts before = of_parts[part];
      std::uint64_t block = part * part_blocks + 1;
      add_counts(block, before);
      for (std::uint64_t const end = std::min((part + 1) * part_blocks, last); block <= end; ++block) {
        std::uint64_t const frame = (add_up(before) >> shift) + 1;
        counts next = before;
        if (block != last) add_counts(block + 1, next);
        if (frame < frames && (block == last || (add_up(next) >> shift) + 1 != frame)) {
          table[frame * row] = block * block_words;
          std::memcpy(table.data() + frame * row + 1, before.data(), sizeof(before));
        }
        before = next;
      }
    });
    for (std::uint64_t frame = 1; frame < frames; ++frame)
      if (table[frame * row] == 0) std::memcpy(table.data() + frame * row, table.data() + (frame - 1) * row, 8 * row);
    return table;
  }
  // Adds the counts that a block has: those of the one before.
  void add_counts(std::uint64_t block, counts& sum) const {
    char const* const header = block_at(block);
    std::uint64_t first = 0;
    std::memcpy(&first, header, sizeof(first));
    with_number(2U << (first >> 62), [&](auto number) {
      constexpr std::uint64_t most = sizeof(number) == 4 ? 0x3fffffff : ~std::uint64_t{0};
      for (std::size_t c = 0; c < num_letters; ++c) {
        std::memcpy(&number, header + (c + 1) * sizeof(number), sizeof(number));
        sum[c] += number & most;
      }
    });
  }
  // Calls f with a number of 2, 4 or 8 bytes: a copy of a constant length is one instruction.
  template <class F>
  static void with_number(unsigned bytes, F f) {
    if (bytes == 2) return f(std::uint16_t{0});
    if (bytes == 4) return f(std::uint32_t{0});
    f(std::uint64_t{0});
  }
  // The logarithm of 0 is -1, as in the table of the format's first program.
  [[nodiscard]] static unsigned log2_or_less(std::uint64_t value) { return value == 0 ? ~0U : floor_log2(value); }

  each_of const& each_;
  sink& to_;
  bool const writes_early_;
  std::vector<host_bytes> groups_;  // the words of blocks
  // Sums over a part through each run that is searched: widths of codes, and rows modulo 2^32.
  std::vector<std::uint32_t> bits_, rows_;
  std::vector<part_extent> of_parts_;            // sums up to each part
  std::size_t num_blocks_ = 1, block_runs_ = 0;  // all blocks, and the runs of one
  std::uint64_t sum_before_ = 0;                 // rows of the block before the open one
  counts all_{}, before_{};                      // letters so far, and those of the last block that is encoded
  std::size_t written_ = 0;                      // groups that are written, or being written
  std::future<void> writing_;                    // declared last: it ends before what it reads is destroyed
};

}  // namespace ordo::inline v0::suffix::fmd
