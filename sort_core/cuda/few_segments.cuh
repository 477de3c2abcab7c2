#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ordo/segments.hpp"
#include "sort_core/cuda/kernels/block_sort.cuh"
#include "sort_core/cuda/kernels/warp_sort.cuh"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/runtime/launch.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// The sort of few items in any segments, in one launch: without a plan, lists and their memory. Launches are most of the time
// of such a sort.
namespace ordo::inline v0::cuda_detail {

template <class K, class V>
struct few_sizes {
  static constexpr unsigned threads = tuning::few_threads, warps = threads / warp_threads;
  using by_warp = warp_sort<K, V, warp_threads, tuning::few_short_items>;
  using by_block = block_sort<K, threads, tuning::few_short_items>;
  using by_large_block = block_sort<K, threads, tuning::class_shape<sizeof(K), value_bytes<V>>(tuning::few_class).items>;
  static_assert(tuning::class_shape<sizeof(K), value_bytes<V>>(tuning::few_class).threads == threads);
  static constexpr std::size_t capacity = by_large_block::capacity;
  /// The items of several segments, of which one may be longer than a block sorts at once: it then merges two parts. 32-bit
  /// keys gain little.
  static constexpr std::size_t total = sizeof(K) > 4 ? 2 * capacity : capacity;
  static_assert(total <= std::size_t{1} << 16);

  /// Returns the bytes of shared memory per block for a sort of n items.
  static std::size_t shared_bytes(std::size_t n) {
    std::size_t const few = std::max(warps * sizeof(typename by_warp::storage), by_block::bytes(value_bytes<V>));
    if (n <= by_block::capacity) return few;
    std::size_t const many = std::max(few, by_large_block::bytes(value_bytes<V>));
    return n <= capacity ? many : std::max(many, n * (sizeof(K) + sizeof(std::uint16_t)));
  }
};

/// Sorts a segment of more than few_sizes::capacity items and at most few_sizes::total: two parts, each as a segment, and then
/// merges them. Each key finds its place by bisection in the other part.
template <class K, class V, class Keys>
__device__ __noinline__ void sort_in_two_parts(segment_data<K, V, Keys> const& data, std::uint64_t begin, unsigned n) {
  using sizes = few_sizes<K, V>;
  constexpr unsigned first = sizes::capacity, threads = sizes::threads, most = sizes::total / threads;
  sizes::by_large_block::sort(data, {begin, first, copy::given});
  sizes::by_large_block::sort(data, {begin + first, n - first, copy::given});
  K* const codes = reinterpret_cast<K*>(dynamic_shared_memory());
  auto* const sources = reinterpret_cast<std::uint16_t*>(codes + n);
  auto const* const keys = data.keys.address(begin);
  for (unsigned p = threadIdx.x; p < n; p += threads) codes[p] = data.keys.encode(keys[p]);
  __syncthreads();
  for (unsigned p = threadIdx.x; p < n; p += threads) {
    // Equal keys of the first part come first.
    bool const of_second = p >= first;
    K const code = codes[p];
    unsigned low = of_second ? 0 : first, high = of_second ? first : n;
    while (low < high) {
      unsigned const half = (low + high) / 2;
      if (codes[half] < code || (of_second && codes[half] == code))
        low = half + 1;
      else
        high = half;
    }
    sources[of_second ? p - first + low : p + low - first] = std::uint16_t(p);
  }
  __syncthreads();
  V value[value_bytes<V> == 0 ? 1 : most];  // all are read before one is written
  if constexpr (value_bytes<V> != 0) {
    for (unsigned i = 0, p = threadIdx.x; p < n; ++i, p += threads) value[i] = data.values[begin + sources[p]];
    __syncthreads();
  }
  for (unsigned i = 0, p = threadIdx.x; p < n; ++i, p += threads) {
    K const code = codes[sources[p]];
    data.keys.store(begin + p, code);
    if constexpr (value_bytes<V> != 0) data.values[begin + p] = value[i];
    if (data.heads) data.heads[begin + p] = p == 0 || codes[sources[p - 1]] != code;
  }
  __syncthreads();
}

/// Sorts segments of at most few_sizes::capacity items together, or, if `TwoParts`, of few_sizes::total. Block b sorts segments
/// b, b + gridDim.x, ...: first each of the short ones by a warp, then each of the others by all threads.
/// @tparam TwoParts  the sort of a segment in two parts, whose code makes the others up to five microseconds slower
template <class K, class V, class Keys, class Offset, bool TwoParts>
__global__ void __launch_bounds__(few_sizes<K, V>::threads, 1)
    sort_few_segments(segment_data<K, V, Keys> data, segment_list<Offset> segments) {
  wait_for_previous();
  using sizes = few_sizes<K, V>;
  using by_warp = typename sizes::by_warp;
  std::size_t const count = segments.size();
  unsigned const warp = threadIdx.x / warp_threads;
  auto& staged = reinterpret_cast<typename by_warp::storage*>(dynamic_shared_memory())[warp];
  bool longer = false;
  for (std::size_t s = blockIdx.x + std::size_t(warp) * gridDim.x; s < count; s += std::size_t(sizes::warps) * gridDim.x) {
    std::uint64_t const begin = segments.begin(s), length = segments.end(s) - begin;
    longer |= length > by_warp::capacity;
    if (length == 0 || length > by_warp::capacity) continue;
    typename by_warp::held h;
    by_warp::load(data, begin, unsigned(length), copy::given, h);
    by_warp::sort(data, h, staged);
  }
  if (!__syncthreads_or(longer)) return;
  for (std::size_t s = blockIdx.x; s < count; s += gridDim.x) {
    std::uint64_t const begin = segments.begin(s), length = segments.end(s) - begin;
    constexpr std::size_t longest = TwoParts ? sizes::total : sizes::capacity;
    if (length <= by_warp::capacity || length > longest) continue;  // longer than all items only if offsets are wrong
    segment_record const segment{begin, std::uint32_t(length), copy::given};
    if (TwoParts && length > sizes::capacity) {
      if constexpr (TwoParts) sort_in_two_parts(data, begin, unsigned(length));
    } else if (length <= sizes::by_block::capacity) {
      sizes::by_block::sort(data, segment);
    } else {
      sizes::by_large_block::sort(data, segment);
    }
  }
}

}  // namespace ordo::inline v0::cuda_detail
