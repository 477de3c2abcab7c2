#pragma once
#include <cstddef>
#include <cstdint>

#include <cooperative_groups.h>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"

// CUB sorts floats directly, which saves the passes that encode and decode them, but treats -0.0 and +0.0 as equal.
namespace ordo::inline v0::cuda_detail {

/// Returns the number of codes, of n, that are less than `bound`; they come first. Called by a whole warp, which reads 32 at a
/// time.
template <class CodeAt, class K>
[[nodiscard]] __device__ std::size_t codes_below(CodeAt code_at, std::size_t n, K bound) {
  std::size_t begin = 0, end = n;
  while (begin < end) {
    std::size_t const part = (end - begin + warp_threads - 1) / warp_threads, last = begin + (lane_id() + 1) * part - 1;
    bool const below = last < end && code_at(last) < bound;
    begin += __popc(__ballot_sync(all_lanes, below)) * part;
    end = min(end, begin + part - 1);
  }
  return begin;
}

/// Moves -0.0 before +0.0 in floats that are in ascending order except for that. All blocks run at once.
/// @param negative  the number of negative zeros; 0 at first
template <class K>
__global__ void __launch_bounds__(256) order_zeros(K* keys, std::size_t n, key_code<K> code, unsigned long long* negative) {
  wait_for_previous();
  constexpr K minus_zero = key_code<K>::top;
  auto const code_at = [&](std::size_t i) { return code.encode(keys[i]); };
  std::size_t const begin = codes_below(code_at, n, code.encode(minus_zero));
  std::size_t const end = codes_below(code_at, n, K(code.encode(0) + 1));
  std::size_t const thread = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x, threads = std::size_t(gridDim.x) * blockDim.x;
  unsigned own = 0;
  for (std::size_t i = begin + thread; i < end; i += threads) own += keys[i] == minus_zero;
  own = __reduce_add_sync(all_lanes, own);
  if (lane_id() == 0 && own != 0) atomicAdd(negative, static_cast<unsigned long long>(own));
  cooperative_groups::this_grid().sync();
  std::size_t const positive = begin + *negative;
  if (positive == begin || positive == end) return;
  for (std::size_t i = begin + thread; i < end; i += threads) keys[i] = i < positive ? minus_zero : K{0};
}

}  // namespace ordo::inline v0::cuda_detail
