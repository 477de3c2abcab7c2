#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/detail/buffer.hpp"
#include "ordo/error.hpp"
#include "ordo/memory.hpp"
#include "sort_core/algorithms/each_by_lanes.hpp"
#include "suffix/run_length/blocks.hpp"

namespace ordo::inline v0::suffix::run_length {

/// Calls f(i) for each i in [0, n), each of which is much work.
template <Backend B, class F>
void each_long(B& backend, std::size_t n, F f) {
  if constexpr (has_workers<B>)
    backend.each_worker(n, [&f](auto& /*worker*/, std::size_t i) { f(i); });
  else
    backend.each(n, f);
}

template <class T>
struct fill_with {
  T* to;
  T value;
  ORDO_FN void operator()(std::size_t i) const { to[i] = value; }
};

/// Blocks of one part of the rows, in order.
struct block_list {
  std::vector<run_block> blocks;
  std::vector<std::uint64_t> ends;  // rows from the part's first one on
  std::uint64_t rows = 0;
};

/// The sink of a block_writer that appends to a list.
struct append_to_list {
  block_list* list;
  void block(run_block const& block) const { list->blocks.push_back(block); }
  void end(std::uint64_t row) const { list->ends.push_back(row); }
};

/// Adds up the counts of the blocks of each group, and lets each block have the counts before it in its group.
struct count_group {
  run_block* blocks;
  std::uint64_t num_blocks;
  group_counts* sums;
  template <class Lanes>
  ORDO_FN void operator()(Lanes lanes, std::size_t group) const {
    constexpr unsigned num_counts = 5;
    std::uint32_t sum[num_counts] = {};
    std::uint64_t const begin = std::uint64_t(group) << group_counts::shift;
    std::uint64_t const all = begin + (std::uint64_t{1} << group_counts::shift), end = all < num_blocks ? all : num_blocks;
    for (std::uint64_t first = begin; first < end; first += Lanes::count) {
      std::uint64_t const block = first + lanes.rank();
      std::uint32_t own[num_counts] = {};
      for (unsigned k = 0; block < end && k < num_counts; ++k) own[k] = blocks[block].before[k];
      for (unsigned k = 0; k < num_counts; ++k) {
        std::uint32_t const up_to = lanes.inclusive_sum(own[k]);
        if (block < end) blocks[block].before[k] = sum[k] + up_to - own[k];
        sum[k] += lanes.of(up_to, Lanes::count - 1);
      }
    }
    if (lanes.rank() != 0) return;
    for (unsigned k = 0; k < num_counts; ++k) sums[group].before[k] = sum[k];
  }
};

/// Sets the pointers of the blocks of a part, which ascend with the blocks. On a GPU each block is a part: the directory finds
/// four blocks in less time than a thread takes to go on to them.
struct set_pointers {
  run_view index;
  run_block* blocks;
  std::uint64_t blocks_of_part;
  [[nodiscard]] std::size_t num_parts() const { return std::size_t((index.num_blocks + blocks_of_part - 1) / blocks_of_part); }
  ORDO_FN void operator()(std::size_t part) const {
    std::uint64_t const begin = part * blocks_of_part, all = begin + blocks_of_part;
    std::uint64_t const end = all < index.num_blocks ? all : index.num_blocks;
    std::uint64_t at[4];
    for (unsigned c = 1; c <= 4; ++c) at[c - 1] = index.find(index.first[c] + index.before(begin, c));
    for (std::uint64_t block = begin; block < end; ++block)
      for (unsigned c = 1; c <= 4; ++c) {
        at[c - 1] = index.seek(at[c - 1], index.first[c] + index.before(block, c));
        blocks[block].pointer[c - 1] = std::uint32_t(at[c - 1]);
      }
  }
};

/// Writes a block to the entries of its rows in a directory: the block of each 2^shift-th row, and the last one.
struct write_directory {
  run_view index;
  unsigned shift;
  std::uint32_t* to;
  [[nodiscard]] ORDO_FN std::size_t size() const { return std::size_t((index.rows >> shift) + 2); }
  ORDO_FN void operator()(std::size_t block) const {
    std::uint64_t entry = (index.begin(block) + (std::uint64_t{1} << shift) - 1) >> shift;
    for (; entry << shift < index.end(block); ++entry) to[entry] = std::uint32_t(block);
    for (; block + 1 == index.num_blocks && entry < size(); ++entry) to[entry] = std::uint32_t(block);
  }
};

/// Copies host data into the memory of a machine.
template <Backend B, class T>
void copy_to_machine(B& backend, std::span<T const> host, std::span<T> to) {
  constexpr std::size_t at_a_time = (std::size_t{64} << 20) / sizeof(T);  // a GPU holds as many twice
  for (std::size_t first = 0; first < host.size(); first += at_a_time) {
    std::size_t const some = std::min(at_a_time, host.size() - first);
    auto const copy = backend.upload(host.subspan(first, some));
    backend.copy(copy.span(), to.subspan(first, some));
  }
}

/// The arrays of an index, in the memory of any machine.
struct run_arrays {
  buffer<run_block> blocks;
  buffer<group_counts> groups;
  buffer<std::uint64_t> ends;
  buffer<std::uint32_t> directory;
  unsigned directory_shift = 0;
  std::uint64_t rows = 0;
  std::uint64_t first[num_codes + 1] = {};

  [[nodiscard]] run_view view() const {
    run_view view;
    view.blocks = blocks.data();
    view.groups = groups.data();
    view.ends = ends.data();
    view.directory = directory.data();
    view.directory_shift = directory_shift;
    view.num_blocks = blocks.size();
    view.num_ends = ends.size();
    view.rows = rows;
    std::copy(std::begin(first), std::end(first), std::begin(view.first));
    return view;
  }
};

/// An index in the memory of a machine.
template <Backend B>
class run_index {
 public:
  run_index() = default;
  /// Joins lists of blocks, which it empties.
  run_index(B& backend, std::vector<block_list> lists)
    requires has_workers<B>
  {
    std::uint64_t num_blocks = 0, num_ends = 0;
    for (block_list const& list : lists) {
      num_blocks += list.blocks.size();
      num_ends += list.ends.size();
    }
    refuse_many(num_blocks);
    all_.blocks = backend.template buffer<run_block>(num_blocks);
    all_.ends = backend.template buffer<std::uint64_t>(num_ends);
    struct place {
      std::uint64_t block, end, row;
    };
    std::vector<place> places;
    for (std::uint64_t block = 0, end = 0; block_list const& list : lists) {
      places.push_back({block, end, all_.rows});
      block += list.blocks.size();
      end += list.ends.size();
      all_.rows += list.rows;
    }
    each_long(backend, lists.size(), [&](std::size_t k) {
      block_list const list = std::exchange(lists[k], {});
      std::ranges::copy(list.blocks, all_.blocks.data() + places[k].block);
      std::ranges::transform(list.ends, all_.ends.data() + places[k].end,
                             [&](std::uint64_t row) { return places[k].row + row; });
    });
    count(backend);
  }
  /// Takes blocks with counts of their own rows, and the rows of ends.
  run_index(B& backend, buffer<run_block> blocks, buffer<std::uint64_t> ends, std::uint64_t rows) {
    all_.blocks = std::move(blocks);
    all_.ends = std::move(ends);
    all_.rows = rows;
    count(backend);
  }
  /// Copies an index in host memory.
  run_index(B& backend, run_view const& host) {
    auto const copy = [&](auto const* from, std::size_t n, auto& to) {
      using item = std::remove_cvref_t<decltype(*from)>;
      to = backend.template buffer<item>(n);
      copy_to_machine(backend, std::span<item const>(from, n), to.span());
    };
    copy(host.blocks, host.num_blocks, all_.blocks);
    copy(host.groups, num_groups(host.num_blocks), all_.groups);
    copy(host.ends, host.num_ends, all_.ends);
    all_.rows = host.rows;
    std::copy(std::begin(host.first), std::end(host.first), std::begin(all_.first));
    make_directory(backend);
  }
  /// Takes the arrays of an index.
  explicit run_index(run_arrays all) : all_(std::move(all)) {}

  /// Throws for more blocks than pointers can name.
  static void refuse_many(std::uint64_t num_blocks) {
    if (num_blocks > ~std::uint32_t{0})
      throw out_of_memory("out of memory: index of runs: it has 2^32 blocks of 64 bytes or more",
                          num_blocks * sizeof(run_block));
  }

  [[nodiscard]] std::uint64_t rows() const { return all_.rows; }
  [[nodiscard]] std::uint64_t num_blocks() const { return all_.blocks.size(); }
  /// Returns the number of ends of records.
  [[nodiscard]] std::uint64_t num_ends() const { return all_.ends.size(); }
  [[nodiscard]] std::uint64_t bytes() const {
    return all_.blocks.size() * sizeof(run_block) + all_.ends.size() * sizeof(std::uint64_t) +
           all_.directory.size() * sizeof(std::uint32_t);
  }
  [[nodiscard]] run_view view() const { return all_.view(); }

  /// Copies the index into host memory.
  [[nodiscard]] run_arrays download(B& backend) const {
    run_arrays to;
    auto const copy = [&](auto const& from, auto& host) {
      using item = std::remove_cvref_t<decltype(*from.data())>;
      host = buffer<item>(host_memory::shared(), from.size());
      backend.download(std::span<item const>(from.span()), host.span());
    };
    copy(all_.blocks, to.blocks);
    copy(all_.groups, to.groups);
    copy(all_.ends, to.ends);
    to.rows = all_.rows;
    std::copy(std::begin(all_.first), std::end(all_.first), std::begin(to.first));
    return to;
  }

 private:
  static std::size_t num_groups(std::uint64_t blocks) {
    return (blocks + (std::uint64_t{1} << group_counts::shift) - 1) >> group_counts::shift;
  }
  void count(B& backend) {
    run_block* const blocks = all_.blocks.data();
    std::uint64_t const num_blocks = all_.blocks.size();
    std::size_t const groups = num_groups(num_blocks);
    all_.groups = backend.template buffer<group_counts>(groups);
    if (groups == 0) return;
    each_by_lanes(backend, groups, count_group{blocks, num_blocks, all_.groups.data()});
    std::vector<group_counts> sums(groups);
    backend.download(std::span<group_counts const>(all_.groups.span()), std::span<group_counts>(sums));
    group_counts all{};
    for (group_counts& group : sums)
      for (unsigned k = 0; k < 5; ++k) all.before[k] += std::exchange(group.before[k], all.before[k]);
    copy_to_machine(backend, std::span<group_counts const>(sums), all_.groups.span());
    all_.first[1] = all_.ends.size();
    for (unsigned c = 1; c <= 4; ++c) all_.first[c + 1] = all_.first[c] + all.before[c];
    all_.first[n_code + 1] = all_.rows;
    make_directory(backend);
    set_pointers const pointers{view(), blocks, has_workers<B> ? 1024 : 1};
    each_long(backend, pointers.num_parts(), pointers);
  }

  void make_directory(B& backend) {
    if (num_blocks() == 0) return;
    all_.directory_shift = unsigned(std::bit_width(rows() / num_blocks()));
    write_directory write{view(), all_.directory_shift, nullptr};
    write.index.directory = nullptr;
    all_.directory = backend.template buffer<std::uint32_t>(write.size());
    write.to = all_.directory.data();
    backend.each(num_blocks(), write);
  }

  run_arrays all_;
};

}  // namespace ordo::inline v0::suffix::run_length
