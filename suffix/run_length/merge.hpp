#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sort_core/algorithms/each_by_lanes.hpp"
#include "suffix/run_length/merge_by_lanes.hpp"
#include "suffix/run_length/parts.hpp"
#include "suffix/run_length/run_index.hpp"
#include "suffix/run_length/walk.hpp"

/// The merge of an index with the letters before new suffixes.
namespace ordo::inline v0::suffix::run_length {

/// Merges some blocks with the keys of the suffixes that come before their rows.
struct merge_blocks {
  run_view index;
  std::uint64_t const* keys;
  std::uint64_t num_keys;
  std::uint64_t num_blocks;  // the blocks that a part takes

  /// Returns the number of parts, which is not 0.
  [[nodiscard]] std::uint64_t num_parts() const {
    return std::max<std::uint64_t>(1, (index.num_blocks + num_blocks - 1) / num_blocks);
  }

  /// Returns the number of blocks of a part of the result if genomes are alike.
  [[nodiscard]] std::uint64_t likely_blocks() const { return num_blocks + num_blocks / 8 + 2; }

  /// Merges a part. A block_writer takes the result.
  template <class Writer>
  ORDO_FN void operator()(std::size_t part, Writer& to) const {
    std::uint64_t const begin = part * num_blocks, next = begin + num_blocks;
    bool const is_last = next >= index.num_blocks;
    std::uint64_t const end = is_last ? index.num_blocks : next;
    std::uint64_t row = begin < index.num_blocks ? index.begin(begin) : 0;  // the next row of the index
    std::uint64_t x = begin == 0 ? 0 : first_key(one_lane{}, row);
    std::uint64_t const last = is_last ? num_keys : first_key(one_lane{}, index.begin(end));
    piece_reader in(index.blocks, begin, end);
    unsigned letter = 0;
    std::uint64_t left = 0;  // rows of a piece
    for (; x < last; ++x) {
      std::uint64_t const key = keys[x], gap = suffix_key::row(key);
      while (row < gap) {
        if (left == 0) in.next(letter, left);
        std::uint64_t const take = left < gap - row ? left : gap - row;
        to.add(letter, take);
        row += take;
        left -= take;
      }
      unsigned const before = suffix_key::before(key);
      to.add(before == continued_code ? unsigned{end_code} : before, 1);
      if (suffix_key::first(key) != continued_code) continue;
      if (left == 0) in.next(letter, left);  // the row of the suffix that is continued had the end of a record
      --left;
      ++row;
    }
    if (left != 0) to.add(letter, left);
    while (in.next(letter, left)) to.add(letter, left);
    to.finish();
  }

  /// Merges a part by the lanes of a warp.
  /// @returns the number of rows
  template <class Lanes, class Writer>
  ORDO_FN std::uint64_t by_lanes(Lanes lanes, std::size_t part, Writer& to) const {
    std::uint64_t const begin = part * num_blocks, next = begin + num_blocks,
                        end = next < index.num_blocks ? next : index.num_blocks;
    return merge_by_lanes(lanes, index, begin, end, keys, num_keys, begin == 0 ? 0 : first_key(lanes, index.begin(begin)), to);
  }

 private:
  // Returns the first key of a row, or of one after it.
  template <class Lanes>
  [[nodiscard]] ORDO_FN std::uint64_t first_key(Lanes lanes, std::uint64_t row) const {
    constexpr unsigned count = Lanes::count;
    std::uint64_t low = 0, high = num_keys;
    while (low < high) {
      std::uint64_t const begin = low, width = high - low;
      auto const probe = [&](unsigned rank) { return begin + width * (rank + 1) / (count + 1); };
      unsigned const lower = lanes.count_true(suffix_key::row(keys[probe(lanes.rank())]) < row);
      if (lower != 0) low = probe(lower - 1) + 1;
      if (lower != count) high = probe(lower);
    }
    return low;
  }
};

/// Merges an index with the sorted keys of new suffixes.
template <Backend B>
void merge_into(B& backend, run_index<B>& index, std::span<std::uint64_t const> keys) {
  constexpr std::uint64_t blocks_of_part = has_workers<B> ? 512 : 64;
  write_parts(backend, merge_blocks{index.view(), keys.data(), keys.size(), blocks_of_part}, index);
}

/// Makes the blocks of an index anew, so that they follow from its rows alone.
template <has_workers B>
[[nodiscard]] run_index<B> packed_anew(B& backend, run_view const& index) {
  constexpr std::uint64_t rows_of_part = std::uint64_t{1} << 22;
  std::vector<block_list> lists(std::size_t((index.rows + rows_of_part - 1) / rows_of_part));
  each_long(backend, lists.size(), [&](std::size_t part) {
    std::uint64_t const begin = part * rows_of_part, end = std::min(begin + rows_of_part, index.rows);
    std::uint64_t const block = index.find(begin);
    block_writer<append_to_list> to(append_to_list{&lists[part]});
    piece_reader in(index.blocks, block, index.num_blocks);
    unsigned letter = 0;
    std::uint64_t row = index.begin(block);
    for (std::uint64_t length = 0; row < end && in.next(letter, length); row += length)
      if (row + length > begin) to.add(letter, std::min(row + length, end) - std::max(row, begin));
    to.finish();
    lists[part].rows = to.rows();
  });
  return run_index<B>(backend, std::move(lists));
}

}  // namespace ordo::inline v0::suffix::run_length
