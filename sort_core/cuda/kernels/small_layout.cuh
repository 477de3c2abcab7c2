#pragma once
#include <cstdint>

#include "sort_core/cuda/primitives/thread_group.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// The layout of the small segments of a run in the shared memory of the warp that sorts them, with the holes between them. A
// warp treats a run with holes like one without: it reads from the first segment to the last, except parts that are only holes,
// sorts the items of segments in place, and writes only these. Other warps may at the same time sort other segments that lie in
// the holes.
namespace ordo::inline v0::cuda_detail {

/// Segments with or without holes between them. Positions are counted from an origin that is the same for all of a run.
template <class Offset, bool Holes>
struct small_positions;

template <class Offset>
struct small_positions<Offset, false> {
  Offset const* begins;  // the end of the last segment is after them
  [[nodiscard]] __device__ unsigned begin(unsigned s) const { return unsigned(begins[s]); }
  [[nodiscard]] __device__ unsigned end(unsigned s) const { return unsigned(begins[s + 1]); }
  [[nodiscard]] __device__ unsigned length(unsigned s) const { return end(s) - begin(s); }
};

template <class Offset>
struct small_positions<Offset, true> {
  static constexpr unsigned length_bits = 8;
  Offset const* words;  // per segment: its begin in the run, with its length in the lowest bits
  [[nodiscard]] __device__ unsigned begin(unsigned s) const { return unsigned(words[s]) >> length_bits; }
  [[nodiscard]] __device__ unsigned length(unsigned s) const { return unsigned(words[s]) & ((1u << length_bits) - 1); }
  [[nodiscard]] __device__ unsigned end(unsigned s) const { return begin(s) + length(s); }
};

/// The properties of the segments that one lane has examined.
struct small_scan {
  bool fits = true;  // none is too large
  bool near = true;  // each begins at the end of the one before it, or shortly after
  extremes<unsigned> lengths{~0u, 0};
  unsigned items = 0;

  template <class Offset>
  __device__ __forceinline__ void at(Offset length, Offset hole, unsigned longest) {
    // A segment that lies before its predecessor seems to begin after a large hole, because offsets are unsigned.
    constexpr unsigned longest_hole = tuning::small_items * tuning::small_max_span;
    static_assert((tuning::small_max_length + longest_hole) * std::uint64_t{tuning::small_segments} >> 24 == 0);
    fits &= length <= longest;
    near &= hole <= longest_hole;
    lengths.smallest = min(lengths.smallest, unsigned(length));
    lengths.greatest = max(lengths.greatest, unsigned(length));
    items += unsigned(length);
  }
};

/// Examines `count` segments, and replaces their begins by their positions relative to the first. The positions are only valid
/// if the segments fit and are near.
template <class Offset>
__device__ __forceinline__ small_scan pack_places(Offset* begins, Offset const* ends, unsigned count, unsigned longest) {
  constexpr unsigned at_once = 4, length_bits = small_positions<Offset, true>::length_bits;
  static_assert(tuning::small_max_length < 1u << length_bits);
  Offset const start = begins[0];
  small_scan seen;
#pragma unroll 1
  for (unsigned first = lane_id(); first - lane_id() < count; first += at_once * warp_threads) {
    Offset end[at_once], word[at_once];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      unsigned const s = first + j * warp_threads;
      end[j] = s < count ? ends[s] : 0;
    }
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      unsigned const s = first + j * warp_threads;
      if (s >= count) continue;
      Offset const begin = begins[s], next = s + 1 < count ? begins[s + 1] : end[j], length = end[j] - begin;
      seen.at(length, Offset(next - end[j]), longest);
      word[j] = Offset(unsigned(begin - start) << length_bits | unsigned(length));
    }
    __syncwarp();
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j)
      if (unsigned const s = first + j * warp_threads; s < count) begins[s] = word[j];
  }
  __syncwarp();
  return seen;
}

/// Returns the items, counted from the begin of segment `first`, that are in segments [first, last): bit b of lane l is item 32
/// l + b.
/// @param scratch  33 words of shared memory: a segment may end after the last item that a warp holds
template <class Places>
__device__ __forceinline__ unsigned items_in_segments(unsigned* scratch, Places const& places, unsigned first, unsigned last) {
  static_assert(tuning::small_items <= warp_threads * 32);
  unsigned const lane = lane_id(), base = places.begin(first);
  scratch[lane] = 0;
  __syncwarp();
  // Sets a one where a segment begins and where it ends; two cancel. An item is inside if the number of ones up to it is odd.
  auto const change = [&](unsigned item) { atomicXor(scratch + item / 32, 1u << item % 32); };
#pragma unroll 1
  for (unsigned s = first + lane; s < last; s += warp_threads) {
    unsigned const begin = places.begin(s), end = places.end(s);
    change(begin - base);
    change(end - base);
  }
  __syncwarp();
  unsigned inside = scratch[lane];
#pragma unroll
  for (unsigned shift = 1; shift < 32; shift *= 2) inside ^= inside << shift;
  unsigned const odd = __ballot_sync(all_lanes, inside >> 31 != 0);
  return __popc(odd & lanes_below()) % 2 == 0 ? inside : ~inside;
}

/// Returns word w of the result of items_in_segments, shifted up by `shift` items, at most 31. All lanes must call it.
[[nodiscard]] __device__ __forceinline__ unsigned shifted_items(unsigned inside, unsigned shift) {
  unsigned const below = __shfl_up_sync(all_lanes, inside, 1);
  return unsigned((std::uint64_t{inside} << 32 | (lane_id() == 0 ? 0 : below)) << shift >> 32);
}

}  // namespace ordo::inline v0::cuda_detail
