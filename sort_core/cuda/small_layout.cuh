#pragma once
#include <cstdint>

#include "sort_core/cuda/group.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// Where the short segments of a run lie, in the shared memory of the warp that sorts them; and what lies in the holes between
// them. A warp treats a run with holes as one without: it reads from the first segment to the last, but for what is all hole,
// sorts what is in segments where it stands, and writes these items alone. For other segments may lie in the holes, which other
// warps sort at the time.
namespace ordo::cuda_detail {

/// Segments with or without holes between them. Places are counted from anywhere, the same for all of a run.
template <class Offset, bool Holes>
struct short_places;

template <class Offset>
struct short_places<Offset, false> {
  Offset const* begins;  // and the last one's end
  [[nodiscard]] __device__ unsigned begin(unsigned s) const { return unsigned(begins[s]); }
  [[nodiscard]] __device__ unsigned end(unsigned s) const { return unsigned(begins[s + 1]); }
  [[nodiscard]] __device__ unsigned length(unsigned s) const { return end(s) - begin(s); }
};

template <class Offset>
struct short_places<Offset, true> {
  static constexpr unsigned length_bits = 8;
  Offset const* words;  // of each segment where it begins, in a run, and in the lowest bits its length
  [[nodiscard]] __device__ unsigned begin(unsigned s) const { return unsigned(words[s]) >> length_bits; }
  [[nodiscard]] __device__ unsigned length(unsigned s) const { return unsigned(words[s]) & ((1u << length_bits) - 1); }
  [[nodiscard]] __device__ unsigned end(unsigned s) const { return begin(s) + length(s); }
};

/// What one lane knows of the segments that it has looked at.
struct short_look {
  bool fits = true;  // none is too long
  bool near = true;  // each begins where the one before it ends, or not far behind
  extremes<unsigned> lengths{~0u, 0};
  unsigned items = 0;

  template <class Offset>
  __device__ __forceinline__ void at(Offset length, Offset hole, unsigned longest) {
    // A segment that lies before the one before it begins behind a hole that is long: offsets have no sign.
    constexpr unsigned longest_hole = tuning::short_items * tuning::short_sparse;
    static_assert((tuning::short_longest + longest_hole) * std::uint64_t{tuning::short_segments} >> 24 == 0);
    fits &= length <= longest;
    near &= hole <= longest_hole;
    lengths.least = min(lengths.least, unsigned(length));
    lengths.greatest = max(lengths.greatest, unsigned(length));
    items += unsigned(length);
  }
};

/// Looks at `count` segments, and writes where they are in the place of their begins, counted from the first. They are good
/// for nothing if these do not fit or are not near.
template <class Offset>
__device__ __forceinline__ short_look pack_places(Offset* begins, Offset const* ends, unsigned count, unsigned longest) {
  constexpr unsigned at_once = 4, length_bits = short_places<Offset, true>::length_bits;
  static_assert(tuning::short_longest < 1u << length_bits);
  Offset const start = begins[0];
  short_look seen;
#pragma unroll 1
  for (unsigned first = lane_of(); first - lane_of() < count; first += at_once * warp_threads) {
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

/// Which items from the begin of segment `first` on are in segments [first, last): bit b of lane l tells of item 32 l + b.
/// @param scratch  33 words of shared memory: a segment may end behind the last item that a warp holds
template <class Places>
__device__ __forceinline__ unsigned items_in_segments(unsigned* scratch, Places const& places, unsigned first, unsigned last) {
  static_assert(tuning::short_items <= warp_threads * 32);
  unsigned const lane = lane_of(), base = places.begin(first);
  scratch[lane] = 0;
  __syncwarp();
  // A one where a segment begins and where it ends; two are none. Then for each item, whether there are an odd number up to it.
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

/// Word w of what items_in_segments returned, shifted upwards by `shift` items, which are up to 31. All lanes must call.
[[nodiscard]] __device__ __forceinline__ unsigned shifted_items(unsigned inside, unsigned shift) {
  unsigned const below = __shfl_up_sync(all_lanes, inside, 1);
  return unsigned((std::uint64_t{inside} << 32 | (lane_of() == 0 ? 0 : below)) << shift >> 32);
}

}  // namespace ordo::cuda_detail
