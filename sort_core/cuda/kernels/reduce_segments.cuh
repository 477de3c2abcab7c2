#pragma once
#include <cstddef>

#include "ordo/segments.hpp"
#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"

namespace ordo::inline v0::cuda_detail {

/// Writes to out[s] the value of neutral op in(s, i) op ... over the items i of segment s (reduce_segments.hpp). A warp takes
/// each segment.
template <class Offset, class In, class T, class Op>
__global__ void __launch_bounds__(256)
    reduce_segments_by_warps(segment_list<Offset> segments, In in, T neutral, Op op, T* out) {
  wait_for_previous();
  std::size_t const warps = std::size_t(gridDim.x) * (blockDim.x / warp_threads);
  std::size_t s = std::size_t(blockIdx.x) * (blockDim.x / warp_threads) + threadIdx.x / warp_threads;
  for (; s < segments.size(); s += warps) {
    T all = neutral;
    for (std::size_t i = segments.begin(s) + lane_id(), end = segments.end(s); i < end; i += warp_threads)
      all = op(all, in(s, i));
#pragma unroll
    for (unsigned step = 1; step < warp_threads; step *= 2) all = op(all, of_other_lane(all, step));
    if (lane_id() == 0) out[s] = all;
  }
}

}  // namespace ordo::inline v0::cuda_detail
