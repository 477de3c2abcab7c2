#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pooled_arena.hpp"
#include "base/shared_ranges.hpp"
#include "base/threads.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"

/// What the indexes of aligners share.
namespace ordo::inline v0::suffix::aligners {

inline constexpr std::string_view nucleotides = "ACGT";

inline constexpr std::array<std::uint8_t, 256> codes = [] {
  std::array<std::uint8_t, 256> of{};
  of.fill(4);
  for (std::uint8_t code = 0; code < 4; ++code)
    for (char const letter : {nucleotides[code], char(nucleotides[code] + 32)}) of[static_cast<unsigned char>(letter)] = code;
  return of;
}();

/// Returns 0 to 3 for A, C, G and T, in either case, and 4 for any other letter.
constexpr unsigned nucleotide_code(char letter) {
  return codes[static_cast<unsigned char>(letter)];
}

inline void write_text(sink& to, std::string_view text) {
  to.write(std::span<char const>(text));
}

template <class Number>
void put(std::string& to, Number value) {
  to.append(reinterpret_cast<char const*>(&value), sizeof(value));  // on little-endian machines
}

/// Writes parts of known size to a sink, with all threads.
class part_writer {
 public:
  /// @param bytes  the bytes of all parts
  part_writer(sink& to, std::uint64_t bytes, unsigned threads) : to_(to), arena_(threads_for(threads)) { to.expect(bytes); }

  void write(std::span<char const> part) {
    detail::store(arena_.get(), part, to_, written_);
    written_ += part.size();
  }
  /// Writes number(0), number(1), ... as little-endian Numbers.
  template <class Number, class F>
  void write_numbers(std::uint64_t count, F number) {
    constexpr std::uint64_t batch = std::uint64_t{1} << 23;
    std::vector<Number> some(std::size_t(std::min(batch, count)));
    for (std::uint64_t begin = 0; begin < count; begin += batch) {
      std::size_t const size = std::size_t(std::min(batch, count - begin));
      arena_.execute([&] {
        host_detail::parallel_each(size, std::size_t{1} << 14, [&](std::size_t i) { some[i] = Number(number(begin + i)); });
      });
      write({reinterpret_cast<char const*>(some.data()), size * sizeof(Number)});
    }
  }

 private:
  sink& to_;
  pooled_arena arena_;
  std::uint64_t written_ = 0;
};

/// Writes what `part` holds, and empties it, if that is much.
inline void write_if_large(sink& to, std::string& part) {
  if (part.size() < std::size_t{1} << 20) return;
  write_text(to, part);
  part.clear();
}

/// Builds the suffix array of a text, and calls write(sa).
template <class Write>
build_report build_for(text const& input, build_options const& options, Write write) {
  auto const with = [&]<class Index>(Index) {
    host_bytes bytes;  // not written before the build does
    bytes.resize(input.size() * sizeof(Index));
    std::span<Index> const sa(reinterpret_cast<Index*>(bytes.data()), input.size());
    build_report const report = build<Index>(input, arrays<Index>{sa, {}, {}}, options);
    if (options.on_phase) options.on_phase("write", input.size());
    write(std::span<Index const>(sa));
    return report;
  };
  return index_fits(4, input.size(), input.records()) ? with(std::uint32_t{}) : with(std::uint64_t{});
}

/// Returns the row of the whole text.
template <class Index>
std::uint64_t row_of_whole(std::span<Index const> sa, unsigned threads) {
  std::atomic<std::uint64_t> row = sa.size();
  pooled_arena arena(threads_for(threads));
  arena.execute([&] {
    host_detail::blocks(sa.size(), std::size_t{1} << 16).run([&](std::size_t, std::size_t begin, std::size_t end) {
      auto const part = sa.subspan(begin, end - begin);
      if (auto const at = std::ranges::find(part, Index{0}); at != part.end()) row = begin + std::uint64_t(at - part.begin());
    });
  });
  return row;
}

using letter_counts = std::array<std::uint64_t, 4>;

/// A BWT by blocks of `block_bytes` bytes, each with counts of the letters before. All threads make ranges of blocks.
class counted_blocks {
 public:
  /// @param fill  called as fill(b, bytes, counts): writes block b and adds its letters to counts, which has those of the
  ///     blocks before it in its range
  /// @param complete  called as complete(bytes, counts) for each block, with the letters before its range
  template <class Fill, class Complete>
  counted_blocks(std::uint64_t blocks, std::uint64_t block_bytes, unsigned threads, Fill fill, Complete complete)
      : blocks_(blocks) {
    bytes_.resize(blocks * block_bytes);
    pooled_arena arena(threads_for(threads));
    arena.execute([&] {
      host_detail::blocks const ranges(blocks, 64);
      std::vector<letter_counts> before(ranges.count + 1);
      ranges.run([&](std::size_t range, std::size_t first, std::size_t last) {
        for (std::uint64_t block = first; block < last; ++block) {
          char* const at = bytes_.data() + block * block_bytes;
          std::memset(at, 0, block_bytes);
          fill(block, at, before[range + 1]);
        }
      });
      for (std::size_t range = 0; range < ranges.count; ++range)
        for (std::size_t c = 0; c < before[range].size(); ++c) before[range + 1][c] += before[range][c];
      ranges.run([&](std::size_t range, std::size_t first, std::size_t last) {
        for (std::uint64_t block = first; block < last; ++block) complete(bytes_.data() + block * block_bytes, before[range]);
      });
      all_ = before.back();
    });
  }

  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  [[nodiscard]] std::span<char const> bytes() const { return bytes_.span(); }
  /// Returns how often each letter occurs in all blocks.
  [[nodiscard]] letter_counts const& all() const { return all_; }

 private:
  std::uint64_t blocks_;
  host_bytes bytes_;
  letter_counts all_{};
};

/// Adds `more` to the counts of type Count at `at`.
template <class Count>
void add_counts(char* at, letter_counts const& more) {
  std::array<Count, 4> here;
  std::memcpy(here.data(), at, sizeof(here));
  for (std::size_t c = 0; c < here.size(); ++c) here[c] += Count(more[c]);
  std::memcpy(at, here.data(), sizeof(here));
}

}  // namespace ordo::inline v0::suffix::aligners
