#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sort_core/cuda/primitives/instructions.cuh"

// Groups of threads that work on one segment together: a warp or a block. The source is the same for both; collectives use the
// hardware's instructions for each. All threads of a group must call a collective.
namespace ordo::inline v0::cuda_detail {

template <class T>
struct extremes {
  T smallest, greatest;
};

__device__ inline extremes<std::uint32_t> warp_extremes(extremes<std::uint32_t> x) {
  return {__reduce_min_sync(all_lanes, x.smallest), __reduce_max_sync(all_lanes, x.greatest)};
}

/// Two reductions of 32 bits: of the upper words, then of the lower words of the lanes that have the extreme upper word.
__device__ inline extremes<std::uint64_t> warp_extremes(extremes<std::uint64_t> x) {
  std::uint32_t const low = __reduce_min_sync(all_lanes, std::uint32_t(x.smallest >> 32));
  std::uint32_t const high = __reduce_max_sync(all_lanes, std::uint32_t(x.greatest >> 32));
  std::uint32_t const below =
      __reduce_min_sync(all_lanes, std::uint32_t(x.smallest >> 32) == low ? std::uint32_t(x.smallest) : ~0u);
  std::uint32_t const above =
      __reduce_max_sync(all_lanes, std::uint32_t(x.greatest >> 32) == high ? std::uint32_t(x.greatest) : 0u);
  return {std::uint64_t(low) << 32 | below, std::uint64_t(high) << 32 | above};
}

__device__ inline std::uint32_t warp_or(std::uint32_t x) {
  return __reduce_or_sync(all_lanes, x);
}
__device__ inline std::uint64_t warp_or(std::uint64_t x) {
  return std::uint64_t(warp_or(std::uint32_t(x >> 32))) << 32 | warp_or(std::uint32_t(x));
}

/// Returns x of the lane whose number differs from this one's in the bits of `mask`.
template <class T>
__device__ T of_other_lane(T const& x, unsigned mask) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint32_t) == 0);
  std::uint32_t words[sizeof(T) / sizeof(std::uint32_t)];
  memcpy(words, &x, sizeof(T));
#pragma unroll
  for (std::uint32_t& word : words) word = __shfl_xor_sync(all_lanes, word, mask);
  T other;
  memcpy(&other, words, sizeof(T));
  return other;
}

/// The type of a key for atomic functions.
template <class K>
__device__ auto* atomic_word(K* x) {
  using word = std::conditional_t<sizeof(K) == 4, unsigned, unsigned long long>;
  return reinterpret_cast<word*>(x);
}
template <class K>
__device__ auto atomic_value(K x) {
  return static_cast<std::conditional_t<sizeof(K) == 4, unsigned, unsigned long long>>(x);
}

/// Returns the sum of x over this lane and the lanes below it.
__device__ inline std::uint32_t warp_inclusive_sum(std::uint32_t x) {
#pragma unroll
  for (unsigned step = 1; step < warp_threads; step *= 2) {
    std::uint32_t const below = __shfl_up_sync(all_lanes, x, step);
    if (lane_id() >= step) x += below;
  }
  return x;
}

template <unsigned Threads>
struct group {
  static_assert(Threads % warp_threads == 0 && Threads <= 1024);
  static constexpr unsigned threads = Threads;
  static constexpr unsigned warps = Threads / warp_threads;
  static constexpr bool one_warp = warps == 1;

  /// The shared memory that the collectives need.
  template <class K>
  struct storage {
    extremes<K> ends[one_warp ? 1 : warps];
    std::uint32_t sums[one_warp ? 1 : warps];
  };

  [[nodiscard]] __device__ static unsigned rank() { return one_warp ? lane_id() : threadIdx.x; }

  __device__ static void sync() {
    if constexpr (one_warp)
      __syncwarp();
    else
      __syncthreads();
  }

  /// Returns true if x is true in any thread. Synchronises.
  [[nodiscard]] __device__ static bool any(bool x) {
    if constexpr (one_warp) {
      bool const result = __any_sync(all_lanes, x);
      __syncwarp();
      return result;
    } else {
      return __syncthreads_or(x);
    }
  }

  /// Returns the number of threads in which x is true. Synchronises.
  [[nodiscard]] __device__ static unsigned count(bool x) {
    if constexpr (one_warp) {
      auto const result = unsigned(__popc(__ballot_sync(all_lanes, x)));
      __syncwarp();
      return result;
    } else {
      return unsigned(__syncthreads_count(x));
    }
  }

  /// Synchronises. The storage, which may be one for larger keys, may be used again after one more sync.
  template <class K, class S>
  [[nodiscard]] __device__ static extremes<K> reduce(extremes<K> x, S& shared) {
    static_assert(sizeof(K) <= sizeof(shared.ends[0].smallest));
    x = warp_extremes(x);
    if constexpr (one_warp) {
      __syncwarp();
      return x;
    } else {
      auto* const ends = reinterpret_cast<extremes<K>*>(shared.ends);
      if (lane_id() == 0) ends[threadIdx.x / warp_threads] = x;
      __syncthreads();
      unsigned const from = lane_id() % warps;
      return warp_extremes(ends[from]);
    }
  }

  /// Returns the bitwise or of all threads' x. Synchronises as reduce does.
  template <class K>
  [[nodiscard]] __device__ static K reduce_or(K x, storage<K>& shared) {
    x = warp_or(x);
    if constexpr (one_warp) {
      __syncwarp();
      return x;
    } else {
      if (lane_id() == 0) shared.ends[threadIdx.x / warp_threads].smallest = x;
      __syncthreads();
      return warp_or(shared.ends[lane_id() % warps].smallest);
    }
  }

  /// Returns the sum of x over the threads below this one. Synchronises as reduce does.
  template <class K>
  [[nodiscard]] __device__ static std::uint32_t exclusive_sum(std::uint32_t x, storage<K>& shared) {
    std::uint32_t const inclusive = warp_inclusive_sum(x);
    if constexpr (one_warp) {
      return inclusive - x;
    } else {
      if (lane_id() == warp_threads - 1) shared.sums[threadIdx.x / warp_threads] = inclusive;
      __syncthreads();
      std::uint32_t const before = lane_id() < threadIdx.x / warp_threads && lane_id() < warps ? shared.sums[lane_id()] : 0;
      return __reduce_add_sync(all_lanes, before) + inclusive - x;
    }
  }
};

}  // namespace ordo::inline v0::cuda_detail
