#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
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
  ORDO_FN void operator()(std::size_t group) const {
    std::uint32_t sum[5] = {};
    std::uint64_t const begin = std::uint64_t(group) << group_counts::shift;
    std::uint64_t const all = begin + (std::uint64_t{1} << group_counts::shift), end = all < num_blocks ? all : num_blocks;
    for (std::uint64_t block = begin; block < end; ++block)
      for (unsigned k = 0; k < 5; ++k) {
        std::uint32_t const here = blocks[block].before[k];
        blocks[block].before[k] = sum[k];
        sum[k] += here;
      }
    for (unsigned k = 0; k < 5; ++k) sums[group].before[k] = sum[k];
  }
};

/// Sets the pointers of some blocks, which ascend with the blocks.
struct set_pointers {
  static constexpr std::uint64_t num_blocks = 1024;
  run_view index;
  run_block* blocks;
  ORDO_FN void operator()(std::size_t part) const {
    std::uint64_t const begin = part * num_blocks, all = begin + num_blocks;
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

/// An index in the memory of a machine.
template <Backend B>
class run_index {
 public:
  run_index() = default;
  /// Joins lists of blocks, which it empties.
  run_index(B& backend, std::vector<block_list> lists) {
    std::uint64_t num_blocks = 0, num_ends = 0;
    for (block_list const& list : lists) {
      num_blocks += list.blocks.size();
      num_ends += list.ends.size();
    }
    if (num_blocks > ~std::uint32_t{0})
      throw out_of_memory("out of memory: index of runs: it has 2^32 blocks of 64 bytes or more",
                          num_blocks * sizeof(run_block));
    blocks_ = backend.template buffer<run_block>(num_blocks);
    ends_ = backend.template buffer<std::uint64_t>(num_ends);
    std::uint64_t block = 0, end = 0;
    for (block_list& list : lists) {
      backend.copy(std::span<run_block const>(list.blocks), blocks_.span().subspan(block, list.blocks.size()));
      for (std::uint64_t& row : list.ends) row += rows_;
      backend.copy(std::span<std::uint64_t const>(list.ends), ends_.span().subspan(end, list.ends.size()));
      block += list.blocks.size();
      end += list.ends.size();
      rows_ += list.rows;
      list = {};
    }
    count(backend);
  }

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t num_blocks() const { return blocks_.size(); }
  /// Returns the number of ends of records.
  [[nodiscard]] std::uint64_t num_ends() const { return ends_.size(); }
  [[nodiscard]] std::uint64_t bytes() const {
    return blocks_.size() * sizeof(run_block) + ends_.size() * sizeof(ends_.data()[0]);
  }
  [[nodiscard]] run_view view() const {
    run_view view;
    view.blocks = blocks_.data();
    view.groups = groups_.data();
    view.ends = ends_.data();
    view.num_blocks = blocks_.size();
    view.num_ends = ends_.size();
    view.rows = rows_;
    std::copy(std::begin(first_), std::end(first_), std::begin(view.first));
    return view;
  }

 private:
  void count(B& backend) {
    std::size_t const num_groups = (blocks_.size() + (std::uint64_t{1} << group_counts::shift) - 1) >> group_counts::shift;
    groups_ = backend.template buffer<group_counts>(num_groups);
    if (num_groups == 0) return;
    each_long(backend, num_groups, count_group{blocks_.data(), blocks_.size(), groups_.data()});
    std::vector<group_counts> sums(num_groups);
    backend.download(std::span<group_counts const>(groups_.span()), std::span<group_counts>(sums));
    group_counts all{};
    for (group_counts& group : sums)
      for (unsigned k = 0; k < 5; ++k) all.before[k] += std::exchange(group.before[k], all.before[k]);
    backend.copy(std::span<group_counts const>(sums), groups_.span());
    first_[1] = ends_.size();
    for (unsigned c = 1; c <= 4; ++c) first_[c + 1] = first_[c] + all.before[c];
    first_[n_code + 1] = rows_;
    each_long(backend, (blocks_.size() + set_pointers::num_blocks - 1) / set_pointers::num_blocks,
              set_pointers{view(), blocks_.data()});
  }

  buffer<run_block> blocks_;
  buffer<group_counts> groups_;
  buffer<std::uint64_t> ends_;
  std::uint64_t rows_ = 0;
  std::uint64_t first_[num_dna_codes + 1] = {};
};

}  // namespace ordo::inline v0::suffix::run_length
