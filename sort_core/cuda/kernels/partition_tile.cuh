#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"

// Partitions keys by a digit, in any order within a digit. A block takes a tile of keys, counts their digits, reserves room for
// the keys of each digit, orders the tile in shared memory, and writes the keys of a digit together.
namespace ordo::inline v0::cuda_detail {

/// Adds 1 << shift to a counter of shared memory.
/// @returns its value before
__device__ inline std::uint32_t count_key(std::uint32_t* at, unsigned shift = 0) {
  return atomicAdd(at, 1u << shift);
}
/// The same for all lanes of a warp, of which one adds for all if they have the same counter, as in sorted keys: additions to
/// one counter take turns.
__device__ inline std::uint32_t count_alike(std::uint32_t* counters, std::uint32_t which, unsigned shift = 0) {
  if (!__all_sync(all_lanes, (which << 5 | shift) == __shfl_sync(all_lanes, which << 5 | shift, 0)))
    return count_key(counters + which, shift);
  std::uint32_t before = 0;
  if (lane_id() == 0) before = atomicAdd(counters + which, warp_threads << shift);
  return __shfl_sync(all_lanes, before, 0) + (lane_id() << shift);
}
/// Returns true if x is the same in all lanes: as it is of the first of many keys, so it will be of the others.
[[nodiscard]] __device__ inline bool are_alike(std::uint32_t x) {
  return __all_sync(all_lanes, x == __shfl_sync(all_lanes, x, 0));
}

template <class K>
struct partition_tile {
  static constexpr unsigned threads = 512;
  static constexpr unsigned items = sizeof(K) == 4 ? 24 : 16, tile = threads * items;
  static constexpr unsigned max_digit_bits = 9;  // a thread for each digit
  static_assert(1u << max_digit_bits <= threads);
  using team = group<threads>;

  /// Keys that are read at once.
  static constexpr unsigned together = 16 / sizeof(K);
  struct alignas(16) quad {
    K keys[together];
  };
  static_assert(items % together == 0);

  struct storage {
    alignas(16) K keys[tile];
    std::uint32_t counts[1u << max_digit_bits];  // keys of each digit; then the place of its first key in the tile
    K* targets[1u << max_digit_bits];            // where the tile's first key would go if it had the digit; null without room
    typename team::template storage<std::uint32_t> collective;
  };

  /// Partitions a tile of up to `tile` keys.
  /// @tparam Digits  the digits:
  ///     digits: their number, at most 2^max_digit_bits
  ///     read(key): returns what is written for a key
  ///     digit(x): returns the digit of what read() returned
  ///     reserve(digit, count): returns where `count` keys of a digit go, or null if they are left out
  template <class Digits>
  __device__ static void distribute(Digits const& digits, storage& s, K const* from, std::uint32_t count) {
    if (threadIdx.x < digits.digits) s.counts[threadIdx.x] = 0;
    __syncthreads();
    if (count == tile && reinterpret_cast<std::uintptr_t>(from) % sizeof(quad) == 0) {
      order<true>(digits, s, from, count);
#pragma unroll
      for (unsigned i = 0; i < items; ++i) write(digits, s, threadIdx.x + i * threads);
    } else {
      order<false>(digits, s, from, count);
      for (std::uint32_t at = threadIdx.x; at < count; at += threads) write(digits, s, at);
    }
    __syncthreads();
  }

 private:
  /// Orders a tile by digit, and reserves room for its keys.
  /// @tparam Whole  it has as many keys as fit, at a multiple of 16 bytes
  template <bool Whole, class Digits>
  __device__ static void order(Digits const& digits, storage& s, K const* from, std::uint32_t count) {
    K keys[items];
    std::uint32_t ranks[items];
    auto const is_key = [&](unsigned i) { return Whole || threadIdx.x + i * threads < count; };
    if constexpr (Whole) {
#pragma unroll
      for (unsigned i = 0; i < items / together; ++i) {
        quad const some = reinterpret_cast<quad const*>(from)[threadIdx.x + i * threads];
#pragma unroll
        for (unsigned j = 0; j < together; ++j) keys[i * together + j] = digits.read(some.keys[j]);
      }
    } else {
#pragma unroll
      for (unsigned i = 0; i < items; ++i) keys[i] = digits.read(is_key(i) ? from[threadIdx.x + i * threads] : K{0});
    }
    if (Whole && are_alike(digits.digit(keys[0]))) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i) {
        std::uint32_t const d = digits.digit(keys[i]);
        ranks[i] = count_alike(s.counts, d) << max_digit_bits | d;
      }
    } else {
#pragma unroll
      for (unsigned i = 0; i < items; ++i) {
        std::uint32_t const d = digits.digit(keys[i]);
        if (is_key(i)) ranks[i] = count_key(s.counts + d) << max_digit_bits | d;
      }
    }
    reserve(digits, s);
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (is_key(i)) s.keys[s.counts[ranks[i] % (1u << max_digit_bits)] + (ranks[i] >> max_digit_bits)] = keys[i];
    __syncthreads();
  }

  /// Reserves room for the keys of each digit, and turns counts to places in the tile.
  template <class Digits>
  __device__ static void reserve(Digits const& digits, storage& s) {
    __syncthreads();
    std::uint32_t const count = threadIdx.x < digits.digits ? s.counts[threadIdx.x] : 0;
    K* const target = threadIdx.x < digits.digits ? digits.reserve(threadIdx.x, count) : nullptr;
    std::uint32_t const before = team::template exclusive_sum<std::uint32_t>(count, s.collective);
    if (threadIdx.x < digits.digits) {
      s.counts[threadIdx.x] = before;
      s.targets[threadIdx.x] = target ? target - before : nullptr;
    }
    __syncthreads();
  }

  /// Writes a key of the tile, which is ordered by digit.
  template <class Digits>
  __device__ static void write(Digits const& digits, storage& s, std::uint32_t at) {
    K const key = s.keys[at];
    K* const target = s.targets[digits.digit(key)];
    if (target) target[at] = key;
  }
};

}  // namespace ordo::inline v0::cuda_detail
