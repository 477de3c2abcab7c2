#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "suffix/run_length/run_index.hpp"
#include "suffix/run_length/walk.hpp"

/// The merge of an index with the letters before new suffixes.
namespace ordo::inline v0::suffix::run_length {

/// Merges some blocks with the keys of the suffixes that come before their rows. A block_writer takes the result.
struct merge_blocks {
  static constexpr std::uint64_t num_blocks = 512;

  run_view index;
  std::uint64_t const* keys;
  std::uint64_t num_keys;

  /// Returns the number of parts, which is not 0.
  [[nodiscard]] std::uint64_t num_parts() const {
    return std::max<std::uint64_t>(1, (index.num_blocks + num_blocks - 1) / num_blocks);
  }

  template <class Writer>
  ORDO_FN void operator()(std::size_t part, Writer& to) const {
    std::uint64_t const begin = part * num_blocks, next = begin + num_blocks;
    bool const is_last = next >= index.num_blocks;
    std::uint64_t const end = is_last ? index.num_blocks : next;
    std::uint64_t row = begin < index.num_blocks ? index.begin(begin) : 0;  // the next row of the index
    std::uint64_t x = begin == 0 ? 0 : first_key(row);
    std::uint64_t const last = is_last ? num_keys : first_key(index.begin(end));
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

 private:
  // Returns the first key of a row, or of one after it.
  [[nodiscard]] ORDO_FN std::uint64_t first_key(std::uint64_t row) const {
    std::uint64_t low = 0, high = num_keys;
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (suffix_key::row(keys[middle]) < row)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// Merges all blocks on the CPU.
template <has_workers B>
std::vector<block_list> merge_all(B& backend, merge_blocks const& merge) {
  std::vector<block_list> lists(merge.num_parts());
  each_long(backend, lists.size(), [&](std::size_t part) {
    block_writer<append_to_list> to(append_to_list{&lists[part]});
    merge(part, to);
    lists[part].rows = to.rows();
  });
  return lists;
}

}  // namespace ordo::inline v0::suffix::run_length
