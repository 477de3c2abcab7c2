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

// The sort of few items in any segments, in one launch: without a plan, lists and their memory. Launches are most of the time of
// such a sort.
namespace ordo::inline v0::cuda_detail {

template <class K, class V>
struct few_sizes {
  static constexpr unsigned threads = tuning::few_threads, warps = threads / warp_threads;
  using by_warp = warp_sort<K, V, warp_threads, tuning::few_short_items>;
  using by_block = block_sort<K, threads, tuning::few_short_items>;
  using by_large_block = block_sort<K, threads, tuning::class_shape<sizeof(K), value_bytes<V>>(tuning::few_class).items>;
  static_assert(tuning::class_shape<sizeof(K), value_bytes<V>>(tuning::few_class).threads == threads);
  static constexpr std::size_t capacity = by_large_block::capacity;

  /// Returns the bytes of shared memory per block for a sort of n items.
  static std::size_t shared_bytes(std::size_t n) {
    std::size_t const few = std::max(warps * sizeof(typename by_warp::storage), by_block::bytes(value_bytes<V>));
    return n <= by_block::capacity ? few : std::max(few, by_large_block::bytes(value_bytes<V>));
  }
};

/// Sorts segments of at most few_sizes::capacity items together. Block b sorts segments b, b + gridDim.x, ...: first each of the
/// short ones by a warp, then each of the others by all threads.
template <class K, class V, class Keys, class Offset>
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
    if (length <= by_warp::capacity || length > sizes::capacity) continue;  // longer than all items only if offsets are wrong
    segment_record const segment{begin, std::uint32_t(length), copy::given};
    if (length <= sizes::by_block::capacity)
      sizes::by_block::sort(data, segment);
    else
      sizes::by_large_block::sort(data, segment);
  }
}

}  // namespace ordo::inline v0::cuda_detail
