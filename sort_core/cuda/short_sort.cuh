#pragma once
#include <cstdint>
#include <type_traits>

#include "sort_core/cuda/group.cuh"
#include "sort_core/cuda/segment_data.cuh"
#include "sort_core/cuda/small.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"
#include "sort_core/radix_key.hpp"

// How a warp sorts short segments that lie in its shared memory: each by a network in the registers of one lane, or of up to
// tuning::short_longest / 16. With values, words of 32 bits are compared: the uppermost bits in which the segment's keys
// differ, and below them the item's place in the run, so that the sort is stable; the places, in order, are what is left in
// shared memory. Keys that agree in so many bits are rare; the sorted words tell, and then words of 64 bits are sorted.
namespace ordo::detail {

/// A warp's part of shared memory.
template <class K, class V, class Offset>
struct short_storage {
  static constexpr bool alone = value_bytes<V> == 0;
  static constexpr unsigned items = tuning::short_items, segments = tuning::short_segments, registers = 16, place_bits = 10;
  static_assert(items <= 1u << place_bits && segments <= 256);
  /// A rank's place, or if there are only keys, its code.
  using ranked = std::conditional_t<alone, K, std::uint16_t>;
  /// A word's pad after each 32 keeps lanes, one segment each, out of each other's banks. No lane's registers meet two pads.
  static constexpr unsigned row = 128 / sizeof(ranked), pad = 4 / sizeof(ranked);
  __host__ __device__ static constexpr unsigned padded(unsigned rank) { return rank + rank / row * pad; }

  alignas(16) K keys[items + 2 * registers];  // unused registers read on
  alignas(16) std::conditional_t<alone, K[1], V[items + 4]> values;
  alignas(16) ranked order[padded(items) + row];
  alignas(16) Offset begins[segments + 1 + 32 / sizeof(Offset)];  // of a run's segments, then the last one's end
  std::uint8_t numbers[segments + items / 8];                     // of the segments that lanes sort, longest first
};

/// Segments of up to 4, 8, 16, 32, ... items; and what power of two of lanes one is sorted by.
__device__ inline unsigned short_class_of(unsigned length) {
  return length <= 4 ? 0 : 30 - unsigned(__clz(int(length - 1)));
}
__device__ inline unsigned short_lanes_bits(unsigned of_class) {
  return of_class < 2 ? 0 : of_class - 2;
}

/// Sorts in each group of `lanes` lanes, `most` at most, the segment of n items from `begin` on, n <= lanes * Items, and leaves
/// its items' places, or codes, in shared.order. False if words of so many bits tell too little.
template <unsigned Items, class Word, class K, class V, class Offset>
__device__ __forceinline__ bool sort_short(key_code<K> encoding, short_storage<K, V, Offset>& shared, K const* keys,
                                           unsigned lanes, unsigned most, unsigned begin, unsigned n) {
  using storage = short_storage<K, V, Offset>;
  constexpr unsigned place_bits = storage::place_bits;
  constexpr bool packed = !storage::alone && sizeof(Word) == 4;
  unsigned const lane = lane_of() & (lanes - 1), share = (n + lanes - 1) >> (31 - __clz(int(lanes)));
  unsigned const skipped = min(lane * share, n), mine = min(share, n - skipped), first = begin + skipped;
  bool const full = __all_sync(all_lanes, mine == Items);
  // The order in which a lane reads its share is any: it starts where other lanes use other banks, and goes round.
  unsigned const start = mine == 0 ? 0 : first / 32 & ((1u << (31 - __clz(int(mine)))) - 1);
  K code[Items];
  unsigned const turn = mine - start, here = first + start, there = here - mine;
  auto const place = [&](unsigned i) { return (i < turn ? here : there) + i; };
  K const* const key_here = apart(keys + here);
  K const* const key_there = apart(keys + int(there));  // may lie before the first, and is not read there
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) code[i] = (i < turn ? key_here : key_there)[i];
  K some = keys[begin];
  if (!encoding.identity()) {
    some = encoding.encode(some);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) code[i] = encoding.encode(code[i]);
  }
  Word x[Items];
  bool wide = false;
  if constexpr (packed) {
    if (!full) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) code[i] = i < mine ? code[i] : some;
    }
    K differing = 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) differing |= code[i] ^ some;
#pragma unroll 1
    for (unsigned step = most / 2; step > 0; step /= 2)
      differing |= __shfl_xor_sync(all_lanes, differing, step < lanes ? step : 0);
    unsigned const alike = min(unsigned(__clz(int(differing))), 31u);
    wide = alike < place_bits;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) x[i] = (code[i] << alike & ~0u << place_bits) | place(i);
  } else {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) x[i] = storage::alone ? Word(code[i]) : Word(code[i]) << 32 | place(i);
  }
  if (!full) {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) x[i] = i < mine ? x[i] : ~Word{0};
  }

  sort_registers(x);
  if constexpr (Items >= storage::registers / 2) {
#pragma unroll 1
    for (unsigned merged = 2; merged <= most; merged *= 2) merge_lanes<true>(x, merged, merged <= lanes);
  }

  if constexpr (packed) {
    if (__any_sync(all_lanes, wide)) {
      // Places are told apart by less than 2^place_bits, keys by more, with few exceptions; the words of no item are the same.
      std::uint32_t least = most == 1 ? 0 : __shfl_up_sync(all_lanes, x[Items - 1], 1);
      least = lane == 0 ? ~0u : x[0] - least - 1;
#pragma unroll
      for (unsigned i = 1; i < Items; ++i) least = min(least, x[i] - x[i - 1] - 1);
      if (__any_sync(all_lanes, wide && least < (1u << place_bits) - 1)) return false;
    }
  }

  unsigned const rank = lane * Items, ranks = n > rank ? n - rank : 0, to = begin + rank;
  unsigned const before_pad = storage::row - to % storage::row;
  auto* const order = apart(shared.order + storage::padded(to));
  auto* const behind = apart(order + storage::pad);
  auto const put = [&](unsigned i) {
    (i < before_pad ? order : behind)[i] = typename storage::ranked(storage::alone ? x[i] : x[i] & ((1u << place_bits) - 1));
  };
  if (full) {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) put(i);
  } else {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < ranks) put(i);
  }
  return true;
}

/// The same for any n <= 16 * lanes.
template <class K, class V, class Offset>
__device__ __forceinline__ void sort_short_any(key_code<K> encoding, short_storage<K, V, Offset>& shared, K const* keys,
                                               unsigned lanes, unsigned begin, unsigned n) {
  using few = std::conditional_t<value_bytes<V> == 0, std::uint32_t, unsigned long long>;
  // Fewer registers than 12 are merged across no lanes.
  unsigned const most = __reduce_max_sync(all_lanes, lanes);
  unsigned const widest = most == 1 ? __reduce_max_sync(all_lanes, n)
                                    : __reduce_max_sync(all_lanes, max((n + lanes - 1) >> (31 - __clz(int(lanes))), 12u));
  auto const sorted = [&]<unsigned Items, class Word>() {
    return sort_short<Items, Word>(encoding, shared, keys, lanes, most, begin, n);
  };
  bool const done = widest <= 2    ? sorted.template operator()<2, few>()
                    : widest <= 4  ? sorted.template operator()<4, few>()
                    : widest <= 8  ? sorted.template operator()<8, std::uint32_t>()
                    : widest <= 12 ? sorted.template operator()<12, std::uint32_t>()
                                   : sorted.template operator()<16, std::uint32_t>();
  if constexpr (value_bytes<V> != 0) {
    if (done) return;
      // Words that tell all are twice as wide: twice as many lanes for each, half of the segments at a time.
#pragma unroll 1
    for (unsigned half = 0; half < warp_threads; half += warp_threads / 2) {
      auto const of_half = [&](unsigned x) { return __shfl_sync(all_lanes, x, half + lane_of() / 2); };
      sort_short<8, unsigned long long>(encoding, shared, keys, 2 * of_half(lanes), 2 * most, of_half(begin), of_half(n));
    }
  }
}

/// Sorts segments [first, last) of those that begin at `begins`. Each has as many lanes as it needs; the longest come first, so
/// that the lanes of a warp have as much to do.
template <class K, class V, class Offset>
__device__ __forceinline__ void sort_short_run(key_code<K> encoding, short_storage<K, V, Offset>& shared, K const* keys,
                                               Offset const* begins, unsigned first, unsigned last) {
  auto const length_of = [&](unsigned s) { return unsigned(begins[s + 1]) - unsigned(begins[s]); };
  unsigned classes = 0, packed = 0;  // that there are; and those of this lane's segments
  static_assert(short_storage<K, V, Offset>::segments <= 8 * warp_threads);
  for (unsigned s = first + lane_of(), bit = 0; s < last; s += warp_threads, bit += 4) {
    unsigned const c = short_class_of(length_of(s));
    classes |= 1u << c;
    packed |= c << bit;
  }
  classes = warp_or(classes);
  unsigned const longest = 31 - unsigned(__clz(int(classes)));
  bool const one = classes == 1u << longest;
  unsigned count = (last - first) << short_lanes_bits(longest);  // of lanes
  if (!one) {
    count = 0;
    for (unsigned c = longest; classes != 0; --c) {
      if ((classes >> c & 1) == 0) continue;
      classes ^= 1u << c;
      unsigned const lanes = 1u << short_lanes_bits(c);
      for (unsigned s = first + lane_of(), bit = 0; s - lane_of() < last; s += warp_threads, bit += 4) {
        bool const of_class = s < last && (packed >> bit & 15) == c;
        unsigned const others = __ballot_sync(all_lanes, of_class);
        if (of_class)
          for (unsigned l = 0; l < lanes; ++l)
            shared.numbers[count + __popc(others & lanes_below()) * lanes + l] = std::uint8_t(s - first);
        count += __popc(others) * lanes;
      }
    }
    __syncwarp();
  }
#pragma unroll 1
  for (unsigned k = lane_of(); k - lane_of() < count; k += warp_threads) {
    unsigned const s = k >= count ? first : first + (one ? k >> short_lanes_bits(longest) : shared.numbers[k]);
    unsigned const n = k < count ? length_of(s) : 0;
    sort_short_any(encoding, shared, keys, 1u << short_lanes_bits(one ? longest : short_class_of(n)),
                   unsigned(begins[s]) - unsigned(begins[first]), n);
  }
  __syncwarp();
}

}  // namespace ordo::detail
