#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cub/device/device_segmented_sort.cuh>
#include <cuda/std/functional>

#include "sort_core/backend.hpp"
#include "sort_core/cuda/error.cuh"

// The segmented sort of the GPU machine. For now it materialises the keys and stands on CUB, which gives every segment one
// block; segments longer than large_segment get the whole GPU, one after the other.
namespace ordo::detail {

constexpr std::uint64_t large_segment = std::uint64_t{1} << 16;

inline unsigned grid_of(std::size_t n, std::size_t block) {
  std::size_t const count = (n + block - 1) / block;
  if (count > 0x7fffffff) throw usage_error("GPU launch: too many items: " + std::to_string(n));
  return unsigned(count);
}

/// Items that one block of for_each_item visits.
constexpr unsigned items_per_block = 2048;

/// The last s in [low, high) with starts[s] <= t; starts[low] <= t must hold.
__device__ inline std::size_t segment_of(std::uint64_t const* starts, std::size_t low, std::size_t high, std::uint64_t t) {
  while (high - low > 1) {
    std::size_t const middle = low + (high - low) / 2;
    if (starts[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// f(i, first) for every position i inside a segment, `first` where it is its segment's first. starts[s] is the number of
/// items before segment s of `count`. Blocks take equal shares of the items, whatever the segments' lengths.
template <class Offset, class F>
__global__ void __launch_bounds__(256)
    for_each_item(Offset const* begins, std::uint64_t const* starts, std::size_t count, std::uint64_t total, F f) {
  std::uint64_t const begin = std::uint64_t(blockIdx.x) * items_per_block;
  std::uint64_t const end = begin + items_per_block < total ? begin + items_per_block : total;
  __shared__ std::size_t bounds[2];
  if (threadIdx.x < 2) bounds[threadIdx.x] = segment_of(starts, 0, count, threadIdx.x == 0 ? begin : end - 1);
  __syncthreads();
  for (std::uint64_t t = begin + threadIdx.x; t < end; t += blockDim.x) {
    std::size_t const s = segment_of(starts, bounds[0], bounds[1] + 1, t);
    std::uint64_t const within = t - starts[s];
    f(std::size_t(begins[s]) + within, within == 0);
  }
}

/// Visits every item of a list of segments: walk(f) launches f(i, first).
template <class Machine, class Offset>
struct item_walk {
  Machine& machine;
  segment_list<Offset> segments;
  buffer<std::uint64_t> starts;
  std::uint64_t total = 0;

  template <class F>
  void operator()(F f) const {
    if (total == 0) return;
    for_each_item<<<grid_of(total, items_per_block), 256, 0, machine.stream()>>>(segments.begins.data(), starts.data(),
                                                                                 segments.size(), total, f);
    ORDO_CUDA(cudaGetLastError());
  }
};

template <class Machine, class Offset>
item_walk<Machine, Offset> walk_over(Machine& machine, segment_list<Offset> segments) {
  std::size_t const count = segments.size();
  item_walk<Machine, Offset> walk{machine, segments, machine.template buffer<std::uint64_t>(count + 1), 0};
  auto* const starts = walk.starts.data();
  auto const* const begins = segments.begins.data();
  auto const* const ends = segments.ends.data();
  machine.scan(
      count + 1,
      [=] __device__(std::size_t i) -> std::uint64_t { return i == 0 ? 0 : std::uint64_t(ends[i - 1] - begins[i - 1]); },
      walk.starts.span(), ::cuda::std::plus<>{});
  walk.total = value_at(machine, walk.starts.span(), count);
  return walk;
}

/// Bounds of the segments that CUB takes (device), and of those that are too long for one block (host).
struct split_segments {
  std::size_t small_count = 0;
  buffer<std::uint64_t> small;  // begins, then ends
  std::vector<std::pair<std::uint64_t, std::uint64_t>> large;

  [[nodiscard]] segment_list<std::uint64_t> small_list() const {
    return {small.span().first(small_count), small.span().last(small_count)};
  }
};

template <class Machine, class Offset>
split_segments split_by_length(Machine& machine, segment_list<Offset> segments) {
  auto const* const begins = segments.begins.data();
  auto const* const ends = segments.ends.data();
  auto const is_large = [=] __device__(std::size_t s) -> std::uint64_t { return ends[s] - begins[s] > large_segment; };
  auto const is_small = [=] __device__(std::size_t s) -> std::uint64_t {
    return ends[s] - begins[s] > 1 && ends[s] - begins[s] <= large_segment;
  };
  auto const begin_of = [=] __device__(std::size_t s) -> std::uint64_t { return begins[s]; };
  auto const end_of = [=] __device__(std::size_t s) -> std::uint64_t { return ends[s]; };
  std::size_t const n = segments.size();
  split_segments split;
  split.small_count = machine.reduce(n, is_small, std::uint64_t{0}, ::cuda::std::plus<>{});
  split.small = machine.template buffer<std::uint64_t>(2 * split.small_count);
  if (split.small_count != 0) {
    machine.select(n, is_small, begin_of, split.small.span().first(split.small_count));
    machine.select(n, is_small, end_of, split.small.span().last(split.small_count));
  }
  std::size_t const large_count = machine.reduce(n, is_large, std::uint64_t{0}, ::cuda::std::plus<>{});
  if (large_count != 0) {
    auto const bounds = machine.template buffer<std::uint64_t>(2 * large_count);
    machine.select(n, is_large, begin_of, bounds.span().first(large_count));
    machine.select(n, is_large, end_of, bounds.span().last(large_count));
    std::vector<std::uint64_t> found(2 * large_count);
    machine.download(std::span<std::uint64_t const>(bounds.span()), found);
    for (std::size_t s = 0; s < large_count; ++s) split.large.emplace_back(found[s], found[large_count + s]);
  }
  return split;
}

/// Sort values by keys, all bits of them, inside each segment, and set heads. keys[0, n) are scratch afterwards.
template <class Machine, class K, class M, class Offset>
void sort_with_scratch_keys(item_walk<Machine, Offset> const& walk, K* keys, M* values, std::size_t n,
                            std::span<std::uint8_t> heads) {
  Machine& machine = walk.machine;
  auto const other_keys = machine.template buffer<K>(n);
  auto const other_values = machine.template buffer<M>(n);
  auto const split = split_by_length(machine, walk.segments);
  if (split.small_count != 0) {
    auto const list = split.small_list();
    cub::DoubleBuffer<K> both_keys(keys, other_keys.data());
    cub::DoubleBuffer<M> both_values(values, other_values.data());
    machine.with_temporary([&](void* temporary, std::size_t& bytes) {
      return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, both_keys, both_values, std::int64_t(n),
                                                       std::int64_t(list.size()), list.begins.data(), list.ends.data(),
                                                       machine.stream());
    });
    auto const* const sorted_keys = both_keys.Current();
    auto const* const sorted_values = both_values.Current();
    if (sorted_values != values) {  // only inside the segments: what lies between them is not ours
      walk_over(machine, list)([=] __device__(std::size_t i, bool) {
        keys[i] = sorted_keys[i];
        values[i] = sorted_values[i];
      });
    }
  }
  for (auto const& [begin, end] : split.large)
    machine.radix_sort_pairs(keys + begin, other_keys.data() + begin, values + begin, other_values.data() + begin, end - begin,
                             bit_range{0, 8 * sizeof(K)});
  if (!heads.empty()) {
    auto* const h = heads.data();
    walk([=] __device__(std::size_t i, bool first) { h[i] = first || keys[i] != keys[i - 1]; });
  }
}

template <class Machine, class V, class M, class Offset, class Key>
void sort_segments_by(Machine& machine, std::span<V> items, std::span<M> moved, segment_list<Offset> segments, Key key,
                      std::span<std::uint8_t> heads, bit_range bits) {
  using K = std::remove_cvref_t<std::invoke_result_t<Key, V>>;
  auto const walk = walk_over(machine, segments);
  if (walk.total == 0) return;
  auto const keys = machine.template buffer<K>(items.size());
  auto* const k = keys.data();
  auto const* const x = items.data();
  K const mask = mask_of<K>(clipped<K>(bits));
  walk([=] __device__(std::size_t i, bool) { k[i] = K(key(x[i]) & mask); });
  sort_with_scratch_keys(walk, k, moved.data(), items.size(), heads);
}

template <class T, class Machine, class Offset>
void move_to_positions(item_walk<Machine, Offset> const& walk, T* to, std::uint64_t const* from, std::size_t n) {
  auto const copy = walk.machine.template buffer<T>(n);
  auto* const c = copy.data();
  walk([=] __device__(std::size_t i, bool) { c[i] = to[i]; });
  walk([=] __device__(std::size_t i, bool) { to[i] = c[from[i]]; });
}

/// Sorts (masked key, position), then moves keys and values once: the mask must not reach the keys.
template <class Machine, class K, class M, class Offset>
void sort_segments(Machine& machine, std::span<K> keys, std::span<M> values, segment_list<Offset> segments,
                   std::span<std::uint8_t> heads, bit_range bits) {
  auto const walk = walk_over(machine, segments);
  if (walk.total == 0) return;
  auto const positions = machine.template buffer<std::uint64_t>(keys.size());
  auto const masked = machine.template buffer<K>(keys.size());
  auto* const p = positions.data();
  auto* const m = masked.data();
  auto const* const k = keys.data();
  K const mask = mask_of<K>(clipped<K>(bits));
  walk([=] __device__(std::size_t i, bool) {
    p[i] = i;
    m[i] = K(k[i] & mask);
  });
  sort_with_scratch_keys(walk, m, p, keys.size(), heads);
  move_to_positions(walk, keys.data(), p, keys.size());
  if (!values.empty()) move_to_positions(walk, values.data(), p, keys.size());
}

}  // namespace ordo::detail
