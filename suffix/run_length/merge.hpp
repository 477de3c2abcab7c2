#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sort_core/algorithms/each_by_lanes.hpp"
#include "suffix/run_length/merge_by_lanes.hpp"
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

  /// Merges a part by one lane, or by those of a warp with the memory that they share.
  /// @returns the number of rows, after which `to` has the result
  template <class Lanes, class To, class... Queue>
  ORDO_FN std::uint64_t by_lanes(Lanes lanes, std::size_t part, To& to, Queue&... queue) const {
    if constexpr (Lanes::count == 1) {
      block_writer<To> writer(to);
      (*this)(part, writer);
      to = writer.to();
      return writer.rows();
    } else {
      std::uint64_t const begin = part * num_blocks, next = begin + num_blocks,
                          end = next < index.num_blocks ? next : index.num_blocks;
      queue_writer<Lanes, To> writer(lanes, queue..., to);
      std::uint64_t const rows = merge_by_lanes(lanes, index, begin, end, keys, num_keys,
                                                begin == 0 ? 0 : first_key(lanes, index.begin(begin)), writer);
      writer.finish(rows);
      to = writer.to();
      return rows;
    }
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

/// The size of the result of one part of a merge, or of all parts up to it.
struct part_size {
  std::uint64_t blocks = 0, ends = 0, rows = 0;
};

struct add_sizes {
  ORDO_FN part_size operator()(part_size const& a, part_size const& b) const {
    return {a.blocks + b.blocks, a.ends + b.ends, a.rows + b.rows};
  }
};

struct size_of_part {
  part_size const* sizes;
  ORDO_FN part_size operator()(std::size_t part) const { return sizes[part]; }
};

/// A sink of block_writer and queue_writer that counts.
struct count_blocks {
  static constexpr bool stores = false;
  part_size size;
  ORDO_FN void block(run_block const& /*block*/) { ++size.blocks; }
  ORDO_FN void end(std::uint64_t /*row*/) { ++size.ends; }

  ORDO_FN void add_block() { ++size.blocks; }
  ORDO_FN void add_ends(std::uint64_t count) { size.ends += count; }
};

struct measure_part {
  using lane_memory = run_queue;
  merge_blocks merge;
  part_size* sizes;
  template <class Lanes, class... Queue>
  ORDO_FN void operator()(Lanes lanes, std::size_t part, Queue&... queue) const {
    count_blocks to{};
    to.size.rows = merge.by_lanes(lanes, part, to, queue...);
    if (lanes.rank() == 0) sizes[part] = to.size;
  }
};

/// A sink of block_writer and queue_writer that has room for what comes.
struct store_blocks {
  static constexpr bool stores = true;
  run_block* blocks;
  std::uint64_t* ends;
  std::uint64_t row;
  ORDO_FN void block(run_block const& block) { *blocks++ = block; }
  ORDO_FN void end(std::uint64_t row_of_part) { *ends++ = row + row_of_part; }

  /// Stores a word of the next block.
  ORDO_FN void store(unsigned word, std::uint32_t value) const { reinterpret_cast<std::uint32_t*>(blocks)[word] = value; }
  ORDO_FN void add_block() { ++blocks; }
  /// Stores one of the next ends.
  ORDO_FN void store_end(std::uint64_t i, std::uint64_t row_of_part) const { ends[i] = row + row_of_part; }
  ORDO_FN void add_ends(std::uint64_t count) { ends += count; }
};

struct write_part {
  using lane_memory = run_queue;
  merge_blocks merge;
  part_size const* sizes;  // sums up to each part
  run_block* blocks;
  std::uint64_t* ends;
  template <class Lanes, class... Queue>
  ORDO_FN void operator()(Lanes lanes, std::size_t part, Queue&... queue) const {
    part_size const before = part == 0 ? part_size{} : sizes[part - 1];
    store_blocks to{blocks + before.blocks, ends + before.ends, before.rows};
    merge.by_lanes(lanes, part, to, queue...);
  }
};

/// Merges an index with the sorted keys of new suffixes.
template <Backend B>
void merge_into(B& backend, run_index<B>& index, std::span<std::uint64_t const> keys) {
  if constexpr (has_workers<B>) {
    // Parts become lists, whose lengths need not be known before.
    merge_blocks const merge{index.view(), keys.data(), keys.size(), 512};
    std::vector<block_list> lists(merge.num_parts());
    each_long(backend, lists.size(), [&](std::size_t part) {
      block_writer<append_to_list> to(append_to_list{&lists[part]});
      merge(part, to);
      lists[part].rows = to.rows();
    });
    index = {};
    index = run_index<B>(backend, std::move(lists));
  } else {
    merge_blocks const merge{index.view(), keys.data(), keys.size(), 64};
    std::size_t const parts = merge.num_parts();
    auto const sizes = backend.template buffer<part_size>(parts);
    each_by_lanes(backend, parts, measure_part{merge, sizes.data()});
    backend.scan(parts, size_of_part{sizes.data()}, sizes.span(), add_sizes{});
    part_size const all = value_at(backend, sizes.span(), parts - 1);
    run_index<B>::refuse_many(all.blocks);
    auto blocks = backend.template buffer<run_block>(all.blocks);
    auto ends = backend.template buffer<std::uint64_t>(all.ends);
    each_by_lanes(backend, parts, write_part{merge, sizes.data(), blocks.data(), ends.data()});
    index = run_index<B>(backend, std::move(blocks), std::move(ends), all.rows);
  }
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
