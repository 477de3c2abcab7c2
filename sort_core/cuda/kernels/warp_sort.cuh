#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/bits.hpp"
#include "sort_core/cuda/primitives/float_values.cuh"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// The sort of segments of up to a few hundred items. `Lanes` lanes of a warp with `Items` registers each hold one segment and
// sort it by a network (the N-to-M binding of Hou et al., section 3.2). A warp sorts 32 / Lanes segments at once.
//
// The network compares one 32-bit word per item: the highest bits in which the segment's keys differ and, below them, the
// item's position. So a comparison is one instruction, and the sort is stable. Keys that agree in these bits are rare. A
// check of the result finds them, and then the same network runs as a radix sort by digits of that width.
namespace ordo::inline v0::cuda_detail {

/// Sorts Items registers, any number, by Batcher's merge exchange (Knuth, TAOCP 5.2.2, algorithm M).
template <unsigned Items, class Word>
__device__ void sort_registers(Word (&x)[Items]) {
  constexpr unsigned top = Items <= 2 ? 1 : Items <= 4 ? 2 : Items <= 8 ? 4 : Items <= 16 ? 8 : 16;
  static_assert(Items <= 32);
#pragma unroll
  for (unsigned p = top; p > 0; p /= 2) {
#pragma unroll
    for (unsigned q = top; q >= p; q /= 2) {
      unsigned const distance = q == top ? p : 2 * q - p, bit = q == top ? 0 : p;
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        if (i + distance < Items && (i & p) == bit) {
          Word const a = x[i], b = x[i + distance];
          x[i] = min(a, b);
          x[i + distance] = max(a, b);
        }
      }
    }
  }
}

/// Sorts a bitonic sequence of the Items registers from First on. Exchanges at half the length leave two bitonic sequences, for
/// any even length.
template <unsigned Items, unsigned First = 0, class Word, unsigned All>
__device__ void merge_registers(Word (&x)[All]) {
  if constexpr (Items % 2 != 0) {
    if constexpr (Items > 1) {
      Word part[Items];
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) part[i] = x[First + i];
      sort_registers(part);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) x[First + i] = part[i];
    }
  } else {
    constexpr unsigned half = Items / 2;
#pragma unroll
    for (unsigned i = First; i < First + half; ++i) {
      Word const a = x[i], b = x[i + half];
      x[i] = min(a, b);
      x[i + half] = max(a, b);
    }
    merge_registers<half, First>(x);
    merge_registers<half, First + half>(x);
  }
}

/// Merges, in each group of `merged` lanes, a power of two, the sorted words of its lower and its upper half. Word q of a group
/// is register q % Items of its lane q / Items. If only Some groups take part, each lane of the others keeps its words, which
/// must be sorted.
template <bool Some = false, unsigned Items, class Word>
__device__ __forceinline__ void merge_lanes(Word (&x)[Items], unsigned merged, bool part = true) {
  // Each word meets its mirror image, then halves of halves.
  bool lower = (lane_id() & (merged / 2)) == 0;
  Word other[Items];
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) other[i] = __shfl_xor_sync(all_lanes, x[Items - 1 - i], merged - 1);
  if constexpr (Some) {
    if (!__all_sync(all_lanes, part)) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) other[i] = part ? other[i] : x[i];
    }
  }
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) x[i] = lower ? min(x[i], other[i]) : max(x[i], other[i]);
#pragma unroll(Some ? 1 : 8)
  for (unsigned step = merged / 4; step > 0; step /= 2) {
    lower = (lane_id() & step) == 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      Word const across = __shfl_xor_sync(all_lanes, x[i], part ? step : 0);
      x[i] = lower ? min(x[i], across) : max(x[i], across);
    }
  }
  merge_registers<Items>(x);
}

/// Sorts the words of each group of Lanes lanes.
template <unsigned Lanes, unsigned Items>
__device__ void sort_by_network(std::uint32_t (&x)[Items]) {
  sort_registers(x);
#pragma unroll
  for (unsigned merged = 2; merged <= Lanes; merged *= 2) merge_lanes(x, merged);
}

template <class K, class V, unsigned Lanes, unsigned Items>
struct warp_sort {
  static constexpr unsigned capacity = Lanes * Items;
  static constexpr unsigned segments = warp_threads / Lanes;  // sorted at once
  static constexpr unsigned position_bits = [] {
    unsigned bits = 1;
    while (1u << bits < capacity) ++bits;
    return bits;
  }();
  static constexpr unsigned digit_bits = 32 - position_bits;
  /// True for 32-bit keys without values, which need no position, because equal ones are indistinguishable.
  static constexpr bool keys_alone = sizeof(K) == 4 && value_bytes<V> == 0;
  /// True where floats are replaced by numbers. A word holds a sign, 11 bits of exponent and enough others to distinguish a few
  /// doubles, but not many.
  static constexpr bool numbers_floats = sizeof(K) > 4 && capacity > tuning::tiny_capacity;

  /// Returns the distance of a warp's segments in shared memory, at which lanes of different segments, at equal offsets, use
  /// different banks.
  static constexpr unsigned spread(unsigned size) {
    if (Lanes == 8 || Lanes == 16)
      while (size % 32 != Lanes && size % 32 != 32 - Lanes) ++size;
    return size;
  }
  /// Words are written in register order and read in memory order. The padding after each lane's words avoids bank conflicts,
  /// as spread does.
  static constexpr unsigned pads = (Items & (Items - 1)) == 0 ? Items : 1u << 16;
  static constexpr unsigned stride = spread(capacity), word_stride = spread(capacity + capacity / pads) + (pads != Items);
  __device__ static unsigned padded(unsigned q) { return q + q / pads; }

  /// Shared memory of one warp.
  struct storage {
    static constexpr unsigned items = keys_alone ? 1 : segments * stride;
    K keys[items];
    std::conditional_t<value_bytes<V> == 0, K[1], V[items]> values;
    std::uint32_t words[segments * word_stride];
    std::uint16_t source[items];
  };

  /// A lane's items of its segment, while they are loaded.
  struct held {
    std::uint64_t begin;
    unsigned n, own_count;  // items of the segment; items of this lane: those at i * Lanes + lane for i below own_count
    copy from;
    K key[Items];
    V value[Items];
  };
  /// With few registers, values are loaded with the keys; with many, after the network has finished with the registers.
  static constexpr bool early = Items <= 4;

  /// Starts loading this lane's segment, [begin, begin + n), n <= capacity; 0 for none.
  template <class Keys>
  __device__ static void load(segment_data<K, V, Keys> const& data, std::uint64_t begin, unsigned n, copy from, held& h) {
    unsigned const lane = lane_id() % Lanes;
    h.begin = begin;
    h.n = n;
    h.from = from;
    h.own_count = n > lane ? (n - lane + Lanes - 1) / Lanes : 0;
    data.template load<Lanes>(from, begin + lane, h.own_count, h.key);
    if constexpr (early) load_values(data, h);
  }

  /// Sorts the loaded segment.
  template <class Keys>
  __device__ static void sort(segment_data<K, V, Keys> const& data, held& h, storage& shared) {
    if constexpr (keys_alone) {
      sort_by_network<Lanes>(h.key);
      stage(h.key, shared);
      __syncwarp();
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) h.key[i] = word(i * Lanes + lane_id() % Lanes, shared);
    } else {
      std::uint32_t source[Items];  // where the item comes from that moves to position i * Lanes + lane
      find_order(data, h, source, shared);
      if constexpr (value_bytes<V> != 0) move_values(data, h, source, shared);
    }
    store_keys(data, h);
    __syncwarp();
  }

 private:
  template <class Keys>
  __device__ static void load_values(segment_data<K, V, Keys> const& data, held& h) {
    if constexpr (value_bytes<V> != 0) {
      V const* const source = data.value_address(h.from, h.begin + lane_id() % Lanes);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < h.own_count) h.value[i] = source[i * Lanes];
    }
  }

  /// Sorts the keys, and finds the original position of each: by the highest bits in which they differ and, if these are too
  /// few, by all.
  template <class Keys>
  __device__ static __forceinline__ void find_order(segment_data<K, V, Keys> const& data, held& h,
                                                    std::uint32_t (&source)[Items], storage& shared) {
    unsigned const lane = lane_id() % Lanes, base = lane_id() / Lanes * stride, own_count = h.own_count;
    K(&key)[Items] = h.key;
    K differing = 0;
    K const first = __shfl_sync(all_lanes, key[0], 0, Lanes);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const p = i * Lanes + lane;
      shared.keys[base + p] = key[i];
      differing |= i < own_count ? K(key[i] ^ first) : K{0};
    }
#pragma unroll
    for (unsigned step = Lanes / 2; step > 0; step /= 2) differing |= __shfl_xor_sync(all_lanes, differing, step);
    unsigned const width = 64 - leading_zeros(differing);
    unsigned compared_bits = width;
    if constexpr (numbers_floats) {
      if (key_code<K> const code = data.keys.code_of_floats(); of_floats(code)) {
#pragma unroll
        for (unsigned i = 0; i < Items; ++i) key[i] = i < own_count ? key[i] : first;
        number_floats(code, Lanes, Lanes, first, key, differing);
        compared_bits = 64 - leading_zeros(differing);
      }
    }

    sort_by_digit<true>(key, source, own_count, compared_bits > digit_bits ? compared_bits - digit_bits : 0, shared);
    if (out_of_order(key, own_count)) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        source[i] = i * Lanes + lane;
        key[i] = shared.keys[base + source[i]];
      }
      unsigned const widest = __reduce_max_sync(all_lanes, width);
      for (unsigned shift = 0; shift < widest; shift += digit_bits) sort_by_digit<false>(key, source, own_count, shift, shared);
    }
  }

  template <class Keys>
  __device__ static __forceinline__ void move_values(segment_data<K, V, Keys> const& data, held& h,
                                                     std::uint32_t const (&source)[Items], storage& shared) {
    unsigned const lane = lane_id() % Lanes, base = lane_id() / Lanes * stride;
    if constexpr (!early) load_values(data, h);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < h.own_count) shared.values[base + i * Lanes + lane] = h.value[i];
    __syncwarp();
    V* const target = data.values + h.begin + lane;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < h.own_count) target[i * Lanes] = shared.values[base + source[i]];
  }

  /// Stores the keys, and the heads.
  template <class Keys>
  __device__ static __forceinline__ void store_keys(segment_data<K, V, Keys> const& data, held const& h) {
    unsigned const lane = lane_id() % Lanes;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < h.own_count) data.keys.store(h.begin + lane + i * Lanes, h.key[i]);
    if (data.heads) {
      each_with_previous(h.key, [&](unsigned i, K previous) {
        unsigned const p = i * Lanes + lane;
        if (i < h.own_count) data.heads[h.begin + p] = p == 0 || previous != h.key[i];
      });
    }
  }

  __device__ static void stage(std::uint32_t const (&x)[Items], storage& shared) {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) word(lane_id() % Lanes * Items + i, shared) = x[i];
  }
  /// Returns word q of this lane's segment.
  __device__ static std::uint32_t& word(unsigned q, storage& shared) {
    return shared.words[lane_id() / Lanes * word_stride + padded(q)];
  }

  /// Sorts stably by the digit that begins at bit `shift`. key[i] and source[i] belong to position i * Lanes + lane.
  template <bool First>
  __device__ static void sort_by_digit(K (&key)[Items], std::uint32_t (&source)[Items], unsigned own_count, unsigned shift,
                                       storage& shared) {
    unsigned const lane = lane_id() % Lanes, base = lane_id() / Lanes * stride;
    std::uint32_t x[Items];
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const p = i * Lanes + lane;
      std::uint32_t const digit = i < own_count ? std::uint32_t(key[i] >> shift) : ~0u;
      x[i] = digit << position_bits | p;
      if (!First) shared.source[base + p] = std::uint16_t(source[i]);
    }
    sort_by_network<Lanes>(x);
    stage(x, shared);
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const at = word(i * Lanes + lane, shared) & ((1u << position_bits) - 1);
      source[i] = First ? at : shared.source[base + at];
      key[i] = shared.keys[base + source[i]];
    }
    __syncwarp();
  }

  /// Calls f(i, the key before position i * Lanes + lane) for each i. The key before position 0 is unspecified.
  template <class F>
  __device__ static void each_with_previous(K const (&key)[Items], F f) {
    unsigned const lane = lane_id() % Lanes;
    K last = 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      K const around = __shfl_sync(all_lanes, key[i], (lane + Lanes - 1) % Lanes, Lanes);
      f(i, lane == 0 ? last : around);
      last = around;
    }
  }

  /// Returns true if any segment of the warp is out of order.
  __device__ static bool out_of_order(K const (&key)[Items], unsigned own_count) {
    bool result = false;
    each_with_previous(key, [&](unsigned i, K previous) { result |= i < own_count && previous > key[i]; });
    return __any_sync(all_lanes, result);
  }
};

}  // namespace ordo::inline v0::cuda_detail
