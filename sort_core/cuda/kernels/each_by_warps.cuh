#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sort_core/algorithms/each_by_lanes.hpp"
#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"

namespace ordo::inline v0::cuda_detail {

/// The lanes of a warp, or of each half of it, for each_by_lanes.hpp. All lanes of the warp must make each call.
template <unsigned Count>
struct lanes {
  static_assert(Count == warp_threads || Count == warp_threads / 2);
  static constexpr unsigned count = Count;

  [[nodiscard]] __device__ static unsigned rank() { return lane_id() % Count; }
  /// Returns true if x is true in any lane of the warp, so that both halves stay in the same loop.
  [[nodiscard]] __device__ static bool any(bool x) { return __any_sync(all_lanes, x); }
  [[nodiscard]] __device__ static unsigned count_true(bool x) { return unsigned(__popc(votes(x))); }
  [[nodiscard]] __device__ static unsigned count_before(bool x) {
    unsigned const lanes = votes(x);
    return lanes == 0 ? Count : unsigned(__popc((lanes & (~lanes + 1)) - 1));
  }
  [[nodiscard]] __device__ static unsigned votes(bool x) {
    return __ballot_sync(all_lanes, x) >> (lane_id() - rank()) & all_lanes >> (warp_threads - Count);
  }
  [[nodiscard]] __device__ static std::uint32_t sum(std::uint32_t x) {
    static_assert(Count == warp_threads);
    return __reduce_add_sync(all_lanes, x);
  }
  [[nodiscard]] __device__ static std::uint32_t inclusive_sum(std::uint32_t x) {
    static_assert(Count == warp_threads);
    return warp_inclusive_sum(x);
  }
  [[nodiscard]] __device__ static std::uint64_t either(std::uint64_t x) {
    static_assert(Count == warp_threads);
    return warp_or(x);
  }
  __device__ static void sync() { __syncwarp(); }
  template <class T>
  [[nodiscard]] __device__ static T of(T const& x, unsigned rank) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint32_t) == 0);
    std::uint32_t words[sizeof(T) / sizeof(std::uint32_t)];
    memcpy(words, &x, sizeof(T));
#pragma unroll
    for (std::uint32_t& word : words) word = __shfl_sync(all_lanes, word, int(rank), int(Count));
    T there;
    memcpy(&there, words, sizeof(T));
    return there;
  }
  template <class F, class Join>
  [[nodiscard]] __device__ auto both(F f, Join join) const {
    static_assert(Count == warp_threads);
    unsigned const half = lane_id() / (Count / 2);
    auto const own = f(lanes<Count / 2>{}, half), other = of_other_lane(own, Count / 2);
    return half == 0 ? join(own, other) : join(other, own);
  }
};

/// The threads of a block of each_by_warps. Few, so that few items reach all multiprocessors.
constexpr unsigned by_warps_threads = 64;

/// Calls f(lanes, i) for each i in [0, n): see each_by_lanes.hpp.
template <class F>
__global__ void __launch_bounds__(by_warps_threads) each_by_warps(std::size_t n, F f) {
  wait_for_previous();
  std::size_t const warps = std::size_t(gridDim.x) * (by_warps_threads / warp_threads);
  unsigned const warp = threadIdx.x / warp_threads;
  std::size_t i = std::size_t(blockIdx.x) * (by_warps_threads / warp_threads) + warp;
  if constexpr (has_lane_memory<F>) {
    __shared__ typename F::lane_memory memory[by_warps_threads / warp_threads];
    for (; i < n; i += warps) f(lanes<warp_threads>{}, i, memory[warp]);
  } else {
    for (; i < n; i += warps) f(lanes<warp_threads>{}, i);
  }
}

}  // namespace ordo::inline v0::cuda_detail
