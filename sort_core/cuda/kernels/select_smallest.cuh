#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ordo/segments.hpp"
#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/selection_bound.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"

// The selection of few items with the smallest codes from each of many segments. A block finds the code of the k-th item digit by
// digit, from the most significant on (radix select), until few enough items are left, and then copies their positions in order.
// It reads the segment once for each digit, usually one, and twice for the copy. A warp does so for a short segment bit by bit, and
// reads it once: the codes stay in its registers.
namespace ordo::inline v0::cuda_detail {

struct select_storage {
  static constexpr unsigned threads = 512, warps = threads / warp_threads, digit_bits = 11, digits = 1u << digit_bits;
  std::uint32_t counts[digits];   // items by digit
  std::uint32_t smaller[warps], equal[warps];
  std::uint32_t digit, below, upto;  // the k-th item's digit, the items with smaller digits, and those and its own
};

/// Finds the digit of item `wanted` in the order of digits, which is counted from 1. Called by one warp.
__device__ inline void find_digit(select_storage& shared, std::uint32_t wanted) {
  constexpr unsigned own = select_storage::digits / warp_threads;  // the digits of a lane
  std::uint32_t const* const counts = shared.counts + lane_id() * own;
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < own; ++i) sum += counts[(i + lane_id()) % own];  // lanes use different banks
  std::uint32_t const end = warp_inclusive_sum(sum);
  std::uint32_t before = end - sum;
  if (before >= wanted || end < wanted) return;  // another lane's
  unsigned digit = 0;
  while (before + counts[digit] < wanted) before += counts[digit++];
  shared.digit = lane_id() * own + digit;
  shared.below = before;
  shared.upto = before + counts[digit];
}

/// The length of the longest segments from which a warp selects.
template <class K>
constexpr std::uint32_t selected_by_warps = warp_threads * (sizeof(K) == 8 ? 16 : 32);

/// Writes the positions of at most `capacity` items of each segment s to rows[s * capacity, ends[s]), in ascending order: all
/// items of a segment of no more; else at least k, of which the first k in the order of (code, position) are members. Leaves
/// out segments that are short enough for select_smallest_by_warps.
/// @param code      code(i) is the code of the item at position i
/// @param segments  segments of less than 2^32 items each
/// @param capacity  at least k
template <class Code, class Offset, class Position>
__global__ void __launch_bounds__(select_storage::threads)
    select_smallest(Code code, segment_list<Offset> segments, std::uint32_t k, std::uint32_t capacity, Position* rows,
                    std::uint64_t* ends) {
  wait_for_previous();
  using storage = select_storage;
  using K = std::remove_cvref_t<decltype(code(0))>;
  constexpr unsigned bits = 8 * sizeof(K);
  storage& shared = *reinterpret_cast<storage*>(dynamic_shared_memory());
  unsigned const warp = threadIdx.x / warp_threads;
  for (std::size_t s = blockIdx.x; s < segments.size(); s += gridDim.x) {
    std::uint64_t const begin = segments.begin(s), first_of_row = s * capacity;
    auto const length = std::uint32_t(segments.end(s) - begin);
    if (length <= selected_by_warps<K>) continue;
    Position* const row = rows + first_of_row;
    if (length <= capacity) {
      for (std::uint32_t i = threadIdx.x; i < length; i += storage::threads) row[i] = Position(begin + i);
      if (threadIdx.x == 0) ends[s] = first_of_row + length;
      continue;
    }

    // The k-th item's code begins with `prefix`, its highest `known` bits; `smaller` codes begin with less, and `upto` with no more.
    K prefix = 0;
    unsigned known = 0;
    std::uint32_t smaller = 0, upto = 0;
    do {
      unsigned const width = min(storage::digit_bits, bits - known), left = bits - known - width;
      for (unsigned d = threadIdx.x; d < storage::digits; d += storage::threads) shared.counts[d] = 0;
      __syncthreads();
      for (std::uint32_t i = threadIdx.x; i < length; i += storage::threads) {
        K const c = code(begin + i);
        if (known == 0 || K(c >> (bits - known)) == prefix) atomicAdd(&shared.counts[unsigned(c >> left) & ((1u << width) - 1)], 1u);
      }
      __syncthreads();
      if (warp == 0) find_digit(shared, k - smaller);
      __syncthreads();
      prefix = known == 0 ? K(shared.digit) : K(prefix << width | shared.digit);
      known += width;
      upto = smaller + shared.upto;
      smaller += shared.below;
    } while (upto > capacity && known != bits);

    // Without room for all items that equal the k-th, the first of them are enough.
    bool const keeps_all = upto <= capacity;
    std::uint32_t const max_equal = keeps_all ? 0 : k - smaller;
    auto const is_smaller = [&](K high) { return high < prefix || (keeps_all && high == prefix); };
    auto const is_equal = [&](K high) { return !keeps_all && high == prefix; };
    auto const high_part = [&](std::uint32_t i) { return K(code(begin + i) >> (bits - known)); };
    std::uint32_t const rounds = (length - 1) / storage::threads + 1;  // a warp takes 32 adjacent items in each
    std::uint64_t const first = std::uint64_t(warp) * rounds * warp_threads;
    std::uint32_t own_smaller = 0, own_equal = 0;
    for (std::uint32_t r = 0; r < rounds; ++r) {
      std::uint64_t const i = first + r * warp_threads + lane_id();
      if (i >= length) break;
      K const high = high_part(std::uint32_t(i));
      own_smaller += is_smaller(high);
      own_equal += is_equal(high);
    }
    own_smaller = __reduce_add_sync(all_lanes, own_smaller);
    own_equal = __reduce_add_sync(all_lanes, own_equal);
    if (lane_id() == 0) {
      shared.smaller[warp] = own_smaller;
      shared.equal[warp] = own_equal;
    }
    __syncthreads();
    std::uint32_t smaller_before = 0, equal_before = 0;
    for (unsigned w = 0; w < warp; ++w) {
      smaller_before += shared.smaller[w];
      equal_before += shared.equal[w];
    }
    for (std::uint32_t r = 0; r < rounds; ++r) {
      std::uint64_t const i = first + r * warp_threads + lane_id();
      K const high = i < length ? high_part(std::uint32_t(i)) : K(~K{0});
      bool const takes = i < length && is_smaller(high), may_take = i < length && is_equal(high);
      unsigned const taking = __ballot_sync(all_lanes, takes), equal = __ballot_sync(all_lanes, may_take);
      std::uint32_t const equal_rank = equal_before + __popc(equal & lanes_below());
      if (takes || (may_take && equal_rank < max_equal))
        row[smaller_before + __popc(taking & lanes_below()) + min(equal_rank, max_equal)] = Position(begin + i);
      smaller_before += __popc(taking);
      equal_before += __popc(equal);
    }
    if (threadIdx.x == 0) ends[s] = first_of_row + (keeps_all ? upto : k);
    __syncthreads();
  }
}

/// Does the same for segments of at most selected_by_warps<K> items, and leaves out the others.
template <class Code, class Offset, class Position>
__global__ void __launch_bounds__(256)
    select_smallest_by_warps(Code code, segment_list<Offset> segments, std::uint32_t k, std::uint32_t capacity, Position* rows,
                             std::uint64_t* ends) {
  wait_for_previous();
  using K = std::remove_cvref_t<decltype(code(0))>;
  constexpr unsigned own_items = selected_by_warps<K> / warp_threads;
  std::size_t const warps = std::size_t(gridDim.x) * (blockDim.x / warp_threads);
  std::size_t s = std::size_t(blockIdx.x) * (blockDim.x / warp_threads) + threadIdx.x / warp_threads;
  for (; s < segments.size(); s += warps) {
    std::uint64_t const begin = segments.begin(s), length_of_any = segments.end(s) - begin, first_of_row = s * capacity;
    if (length_of_any > selected_by_warps<K>) continue;
    auto const length = std::uint32_t(length_of_any);
    Position* const row = rows + first_of_row;
    if (length <= capacity) {
      for (std::uint32_t i = lane_id(); i < length; i += warp_threads) row[i] = Position(begin + i);
      if (lane_id() == 0) ends[s] = first_of_row + length;
      continue;
    }

    // Lanes take adjacent items. After the last one are greatest codes, which no bound is above.
    K codes[own_items];
    K const some = code(begin);
    K differing = 0;
    unsigned const rounds = (length - 1) / warp_threads + 1;
#pragma unroll
    for (unsigned j = 0; j < own_items; ++j) {
      codes[j] = K(~K{0});
      if (j >= rounds) continue;
      std::uint32_t const i = j * warp_threads + lane_id();
      if (i < length) codes[j] = code(begin + i);
      if (i < length) differing |= codes[j] ^ some;
    }
    auto const count_below = [&](K bound) {
      std::uint32_t below = 0;
#pragma unroll
      for (unsigned j = 0; j < own_items; ++j) {
        if (j % 4 == 0 && j >= rounds) break;
        below += codes[j] < bound;
      }
      return __reduce_add_sync(all_lanes, below);
    };
    std::uint32_t const taken =
        each_selected(codes, length, find_bound(some, differing, k, capacity, count_below),
                      [&](std::uint32_t rank, std::uint32_t i, K) { row[rank] = Position(begin + i); });
    if (lane_id() == 0) ends[s] = first_of_row + taken;
  }
}

}  // namespace ordo::inline v0::cuda_detail
