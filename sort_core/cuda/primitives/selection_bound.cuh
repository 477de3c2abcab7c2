#pragma once
#include <cstdint>

#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"

// How a warp selects the smallest of the codes that its lanes hold in registers: lane l has those at l, 32 + l, 64 + l, ...
namespace ordo::inline v0::cuda_detail {

/// The codes below `code` are selected, and the first `max_equal` of those that equal it.
template <class K>
struct selection_bound {
  K code;
  std::uint32_t max_equal;
};

/// Finds, bit by bit from the highest one that differs, a bound that selects at least k codes and at most `room`. If there is
/// none, the bound selects the first k in the order of (code, position).
/// @param some         any of the codes
/// @param differing    the bits in which any of the lane's codes differs from it
/// @param count_below  count_below(code) counts the codes of all lanes below one
template <class K, class CountBelow>
__device__ selection_bound<K> find_bound(K some, K differing, std::uint32_t k, std::uint32_t room,
                                         CountBelow const& count_below) {
  constexpr unsigned bits = 8 * sizeof(K);
  unsigned left;  // bits of the k-th code that are not known yet: it begins as the bound does
  if constexpr (sizeof(K) == 8)
    left = bits - unsigned(__clzll(static_cast<long long>(warp_or(std::uint64_t(differing)))));
  else
    left = 32 - unsigned(__clz(static_cast<int>(warp_or(std::uint32_t(differing)))));
  K bound = left == bits ? K{0} : K(some >> left << left);
  std::uint32_t smaller = 0;  // codes below the bound
  while (left != 0) {
    K const middle = K(bound | K(K{1} << --left));
    std::uint32_t const below = count_below(middle);
    if (below >= k && below <= room) return {middle, 0};
    if (below >= k) continue;
    bound = middle;
    smaller = below;
  }
  return {bound, k - smaller};
}

/// Calls f(rank, i, codes[i / 32]) for the position i of each code of this lane that is selected. Ranks are in the order of
/// positions. Returns the number of codes selected by all lanes.
/// @param length  the number of codes of all lanes
template <class K, unsigned OfLane, class F>
__device__ std::uint32_t each_selected(K const (&codes)[OfLane], std::uint32_t length, selection_bound<K> bound, F const& f) {
  std::uint32_t selected = 0, equal_before = 0;
#pragma unroll
  for (unsigned j = 0; j < OfLane; ++j) {
    if (j * warp_threads >= length) break;
    std::uint32_t const i = j * warp_threads + lane_id();
    bool const is_equal = i < length && codes[j] == bound.code;
    unsigned const equal = __ballot_sync(all_lanes, is_equal);
    bool const is_selected =
        i < length &&
        (codes[j] < bound.code || (is_equal && equal_before + __popc(equal & lanes_below()) < bound.max_equal));
    unsigned const all = __ballot_sync(all_lanes, is_selected);
    if (is_selected) f(selected + __popc(all & lanes_below()), i, codes[j]);
    selected += __popc(all);
    equal_before += __popc(equal);
  }
  return selected;
}

}  // namespace ordo::inline v0::cuda_detail
