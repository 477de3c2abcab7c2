#pragma once
#include <cstddef>
#include <cstdint>

#include <cooperative_groups.h>

#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/merging.cuh"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/runtime/launch.cuh"
#include "sort_core/cuda/tuning/samples.hpp"

// The stable sort of one array by any order, in one launch whose blocks all run at once: each sorts runs that it holds, and
// then all merge these in pairs, a level after each barrier of the grid, a tile of the result by a block (merge path: Green,
// McColl and Bader, ICS'12). Launches are most of the time of a small sort: a level takes about four microseconds on an H200,
// and two launches for each level twice that.
namespace ordo::inline v0::cuda_detail {

/// The sizes of a merge sort.
template <class Words, class V>
struct grid_merge_sizes {
  using element = carrier<Words, V>;
  static constexpr auto shape = tuning::merge_shape(sizeof(Words) + value_bytes<V>);
  static constexpr unsigned threads = shape.threads, items = shape.items;
  using sorter = merging<element, threads, items>;
  static constexpr unsigned capacity = sorter::capacity;
  static constexpr std::size_t shared_bytes = capacity * sizeof(element);
  static bool possible() { return shared_bytes <= shared_memory_limit(); }
};

/// The array, which is replaced by its items in order, and as much memory for its second copy.
template <class Words, class V>
struct grid_merge_work {
  Words* items;
  V* values;
  Words* away_items;  // unused if there is only one run
  V* away_values;
  std::size_t n;
  std::uint32_t run;     // the items of each run but the last, at most grid_merge_sizes::capacity
  std::uint32_t levels;  // levels of merging: there are at most 2^levels runs
};

template <class Words, class V, class Order>
struct grid_merger : grid_merge_sizes<Words, V> {
  using sizes = grid_merge_sizes<Words, V>;
  using sizes::threads, sizes::items;
  using typename sizes::element, typename sizes::sorter;

  struct array {
    Words* items;
    V* values;
  };

  /// Loads `count` items, the first `of_a` of them from place a on and the others from place b on. All loads are issued before
  /// the first result is used.
  __device__ static void load(array from, std::size_t a, unsigned of_a, std::size_t b, unsigned count, element* all) {
    array const of_b{from.items + b - of_a, from.values + b - of_a};
    from = {from.items + a, from.values + a};
    element loaded[items];
    auto const each = [&](auto f) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (unsigned const p = i * threads + threadIdx.x; p < count) f(loaded[i], p);
    };
    each([&](element& e, unsigned p) {
      e.item = (p < of_a ? from : of_b).items[p];
      if constexpr (value_bytes<V> != 0) e.carried = (p < of_a ? from : of_b).values[p];
    });
    each([&](element const& e, unsigned p) { all[p] = e; });
    __syncthreads();
  }

  __device__ static void store(element const* all, unsigned count, array to, std::size_t begin) {
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      if (unsigned const p = i * threads + threadIdx.x; p < count) {
        to.items[begin + p] = all[p].item;
        if constexpr (value_bytes<V> != 0) to.values[begin + p] = all[p].carried;
      }
    }
    __syncthreads();
  }

  /// Returns how many of the first `place` items of a merge are from a[0, of_a), if the others are from b[0, of_b). Called by a
  /// warp, whose lanes each try a split at a time.
  [[nodiscard]] __device__ static std::size_t split(Words const* a, std::size_t of_a, Words const* b, std::size_t of_b,
                                                    std::size_t place, Order const& less) {
    std::size_t low = place > of_b ? place - of_b : 0, high = place < of_a ? place : of_a;
    while (low < high) {
      std::size_t const left = high - low, step = (left + warp_threads - 1) / warp_threads,
                        tried = low + (lane_id() + 1) * step - 1;
      // Items of a that equal one of b come before it.
      bool const too_many = tried >= high || less(b[place - 1 - tried], a[tried]);
      unsigned const first = unsigned(__ffs(int(__ballot_sync(all_lanes, too_many))));  // from 1; 0 if none
      std::size_t const end = first == 0 ? high : low + first * step - 1;
      low += (first == 0 ? warp_threads : first - 1) * step;
      high = end < high ? end : high;
    }
    return low;
  }
};

/// Sorts an array by `less`, and keeps the order of equal items. All blocks run at once.
template <class Words, class V, class Order>
__global__ void __launch_bounds__(grid_merge_sizes<Words, V>::threads, grid_merge_sizes<Words, V>::shape.resident)
    merge_in_grid(grid_merge_work<Words, V> work, Order less) {
  wait_for_previous();
  using merger = grid_merger<Words, V, Order>;
  using sorter = typename merger::sorter;
  using element = typename merger::element;
  auto* const all = reinterpret_cast<element*>(dynamic_shared_memory());
  __shared__ std::size_t splits[2];
  typename merger::array from{work.items, work.values}, to{work.away_items, work.away_values};
  // The last level writes to the caller's arrays.
  std::size_t const runs = (work.n + work.run - 1) / work.run;
  auto const sorted = work.levels % 2 != 0 ? to : from;
  for (std::size_t r = blockIdx.x; r < runs; r += gridDim.x) {
    std::size_t const begin = r * work.run;
    auto const count = unsigned(work.n - begin < work.run ? work.n - begin : work.run);
    merger::load(from, begin, count, begin, count, all);
    sorter::sort(all, count, less);
    merger::store(all, count, sorted, begin);
  }
  if (work.levels % 2 != 0) from = to, to = {work.items, work.values};
  for (unsigned level = 0; level < work.levels; ++level) {
    cooperative_groups::this_grid().sync();
    std::size_t const length = std::size_t{work.run} << level;
    for (std::size_t r = blockIdx.x; r < runs; r += gridDim.x) {
      std::size_t const begin = r * work.run, a = (r >> (level + 1) << (level + 1)) * work.run,
                        b = work.n - a < length ? work.n : a + length, end = work.n - b < length ? work.n : b + length,
                        skip = begin - a;
      auto const count = unsigned(end - begin < work.run ? end - begin : work.run);
      if (unsigned const warp = threadIdx.x / warp_threads; warp < 2) {
        std::size_t const place = skip + warp * count,
                          of_a = merger::split(from.items + a, b - a, from.items + b, end - b, place, less);
        if (lane_id() == 0) splits[warp] = of_a;
      }
      __syncthreads();
      // An order that contradicts itself leaves the number within bounds.
      std::size_t const before = splits[0], after = splits[1];
      unsigned const of_a = after < before ? 0 : after - before > count ? count : unsigned(after - before);
      merger::load(from, a + before, of_a, b + (skip - before), count, all);
      element merged[merger::items];
      unsigned const first = threadIdx.x * merger::items;
      if (first < count) sorter::merge(all, 0, of_a, count, first, merged, less);
      __syncthreads();
      if (first < count) sorter::put(merged, all + first);
      __syncthreads();
      merger::store(all, count, to, begin);
    }
    auto const last = from;
    from = to;
    to = last;
  }
}

}  // namespace ordo::inline v0::cuda_detail
