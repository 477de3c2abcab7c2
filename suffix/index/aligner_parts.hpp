#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/suffix.hpp"

/// What the indexes of aligners share.
namespace ordo::inline v0::suffix::aligners {

inline constexpr std::string_view nucleotides = "ACGT";

/// Returns 0 to 3 for A, C, G and T, in either case, and 4 for any other letter.
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

inline void write_text(sink& to, std::string_view text) {
  to.write(std::span<char const>(text));
}

template <class Number>
void put(std::string& to, Number value) {
  to.append(reinterpret_cast<char const*>(&value), sizeof(value));  // on little-endian machines
}

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
    std::vector<Index> sa(input.size());
    build_report const report = build<Index>(input, arrays<Index>{sa, {}, {}}, options);
    if (options.on_phase) options.on_phase("write", input.size());
    write(sa);
    return report;
  };
  return index_fits(4, input.size(), input.records()) ? with(std::uint32_t{}) : with(std::uint64_t{});
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
    tbb::task_arena arena(threads_for(threads));
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
