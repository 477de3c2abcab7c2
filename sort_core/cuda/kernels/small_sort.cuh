#pragma once
#include <cstdint>
#include <type_traits>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/kernels/warp_sort.cuh"
#include "sort_core/cuda/primitives/float_values.cuh"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// The sort of small segments in the shared memory of a warp: each by a network in the registers of one lane, or of as many as
// it needs. With values, words of 32 bits are compared: the highest bits in which the segment's keys differ and, below them,
// the item's position in the run, which makes the sort stable. The sorted positions are left in shared memory. Keys that agree
// in these bits are rare. The sorted words show whether there are any, and then words of 64 bits are sorted.
namespace ordo::inline v0::cuda_detail {

/// A warp's part of shared memory. The host chooses its size: small if segments are few or tiny, so that a multiprocessor holds
/// more warps.
template <class K, class V, class Offset>
class small_storage {
 public:
  static constexpr bool alone = value_bytes<V> == 0;
  static constexpr unsigned registers = tuning::small_registers, place_bits = 10;
  static_assert(tuning::small_items <= 1u << place_bits && tuning::small_segments <= 256);
  /// The position of the item of a rank or, for keys without values, its code.
  using ranked = std::conditional_t<alone, K, std::uint16_t>;
  /// One word of padding after each 32 avoids bank conflicts between lanes that sort one segment each. The registers of a lane
  /// meet at most one padding word.
  static constexpr unsigned row = 128 / sizeof(ranked), pad = 4 / sizeof(ranked);
  __host__ __device__ static constexpr unsigned padded(unsigned rank) { return rank + rank / row * pad; }

  /// The begin of each part, in bytes. The keys begin at 0.
  struct layout {
    unsigned segments, items, longest, values, order, begins, numbers, end;
    explicit layout(tuning::small_run run) : segments(run.segments), items(run.items), longest(run.longest) {
      auto const aligned = [](std::size_t bytes) { return unsigned((bytes + 15) / 16 * 16); };
      values = aligned((items + 2 * registers) * sizeof(K));  // unused registers are loaded, too
      order = values + (alone ? 0 : aligned((items + 4) * sizeof(V)));
      begins = order + aligned((padded(items) + row) * sizeof(ranked));
      numbers = begins + aligned((segments + 1) * sizeof(Offset) + 32);
      end = numbers + aligned(segments + items / 8 + 1);
    }
  };

  __device__ small_storage(layout const& where, unsigned warp) : where_(where), base_(warp * where.end) {}
  [[nodiscard]] __device__ K* keys() const { return at<K>(0); }
  [[nodiscard]] __device__ V* values() const { return at<V>(where_.values); }
  [[nodiscard]] __device__ ranked* order() const { return at<ranked>(where_.order); }
  /// Returns the begins of a run's segments, and the end of the last one.
  [[nodiscard]] __device__ Offset* begins() const { return at<Offset>(where_.begins); }
  /// Returns the numbers of the segments that lanes sort, largest first.
  [[nodiscard]] __device__ std::uint8_t* numbers() const { return at<std::uint8_t>(where_.numbers); }

 private:
  template <class T>
  [[nodiscard]] __device__ T* at(unsigned byte) const {
    return reinterpret_cast<T*>(dynamic_shared_memory() + (base_ + byte));
  }
  layout const& where_;
  unsigned base_;
};

/// Returns the class of a segment of up to 4, 8, 16, 32, ... items, which is log2 of the number of lanes that sort it.
__device__ inline unsigned small_class(unsigned length) {
  return length <= 4 ? 0 : 30 - unsigned(__clz(int(length - 1)));
}
__device__ inline unsigned small_lanes_bits(unsigned of_class) {
  return of_class < 2 ? 0 : of_class - 2;
}

/// Sorts in each group of `lanes` lanes, at most `max_lanes`, the segment of n items from `begin` on, n <= lanes * Items, and
/// leaves its items' positions or codes in shared.order(). Returns false if words of this size do not distinguish all keys.
template <unsigned Items, class Word, bool Floats, class K, class V, class Offset>
__device__ __forceinline__ bool sort_small(key_code<K> encoding, small_storage<K, V, Offset> const& shared, K const* keys,
                                           unsigned lanes, unsigned max_lanes, unsigned begin, unsigned n) {
  using storage = small_storage<K, V, Offset>;
  constexpr unsigned place_bits = storage::place_bits;
  constexpr bool packed = !storage::alone && sizeof(Word) == 4;
  unsigned const lane = lane_id() & (lanes - 1), share = (n + lanes - 1) >> (31 - __clz(int(lanes)));
  unsigned const skipped = min(lane * share, n), own_count = min(share, n - skipped), first = begin + skipped;
  bool const full = __all_sync(all_lanes, own_count == Items);
  // A lane may read its share in any order: it starts where other lanes use other banks, and wraps around.
  unsigned const start = own_count == 0 ? 0 : first / 32 & ((1u << (31 - __clz(int(own_count)))) - 1);
  K code[Items];
  unsigned const turn = own_count - start, here = first + start, there = here - own_count;
  auto const place = [&](unsigned i) { return (i < turn ? here : there) + i; };
  K const* const key_here = opaque_shared(keys + here);
  K const* const key_there = opaque_shared(keys + int(there));  // may point before the first key, but is not read there
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
      for (unsigned i = 0; i < Items; ++i) code[i] = i < own_count ? code[i] : some;
    }
    K differing = 0;
    bool exact = true;  // different floats have different numbers
    if constexpr (Floats) {
      exact = number_floats(encoding, lanes, max_lanes, some, code, differing);
    } else {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) differing |= code[i] ^ some;
#pragma unroll 1
      for (unsigned step = max_lanes / 2; step > 0; step /= 2)
        differing |= __shfl_xor_sync(all_lanes, differing, step < lanes ? step : 0);
    }
    unsigned const alike = min(unsigned(__clz(int(differing))), 31u);
    // True if codes differ in bits that do not fit in the word. Of floats, only the range of the codes is known.
    wide = Floats ? alike < place_bits || !exact : (differing << alike & ((1u << place_bits) - 1)) != 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) x[i] = (code[i] << alike & ~0u << place_bits) | place(i);
  } else {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) x[i] = storage::alone ? Word(code[i]) : Word(code[i]) << 32 | place(i);
  }
  if (!full) {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) x[i] = i < own_count ? x[i] : ~Word{0};
  }

  sort_registers(x);
  if constexpr (Items >= 8) {
#pragma unroll 1
    for (unsigned merged = 2; merged <= max_lanes; merged *= 2) merge_lanes<true>(x, merged, merged <= lanes);
  }

  if constexpr (packed) {
    if (__any_sync(all_lanes, wide)) {
      // Positions differ by less than 2^place_bits, keys by more, with few exceptions; no two items have the same word.
      std::uint32_t smallest = max_lanes == 1 ? 0 : __shfl_up_sync(all_lanes, x[Items - 1], 1);
      smallest = lane == 0 ? ~0u : x[0] - smallest - 1;
#pragma unroll
      for (unsigned i = 1; i < Items; ++i) smallest = min(smallest, x[i] - x[i - 1] - 1);
      if (__any_sync(all_lanes, wide && smallest < (1u << place_bits) - 1)) return false;
    }
  }

  unsigned const rank = lane * Items, ranks = n > rank ? n - rank : 0, to = begin + rank;
  unsigned const before_pad = storage::row - to % storage::row;
  auto* const order = opaque_shared(shared.order() + storage::padded(to));
  auto* const after = opaque_shared(order + storage::pad);
  auto const put = [&](unsigned i) {
    (i < before_pad ? order : after)[i] = typename storage::ranked(storage::alone ? x[i] : x[i] & ((1u << place_bits) - 1));
  };
#pragma unroll
  for (unsigned i = 0; i < Items; ++i)
    if (i < ranks) put(i);
  return true;
}

/// Does the same for any n: up to 16 * lanes, or small_registers * lanes if the segments have about the same length (`alike`).
template <bool Floats, class K, class V, class Offset>
__device__ __forceinline__ void sort_small_any(key_code<K> encoding, small_storage<K, V, Offset> const& shared, K const* keys,
                                               unsigned lanes, unsigned begin, unsigned n, bool alike) {
  using storage = small_storage<K, V, Offset>;
  using few = std::conditional_t<value_bytes<V> == 0, std::uint32_t, unsigned long long>;
  unsigned const max_lanes = __reduce_max_sync(all_lanes, lanes);
  unsigned const share = (n + lanes - 1) >> (31 - __clz(int(lanes)));
  // Merging across lanes needs a minimum of registers per lane.
  unsigned const widest = __reduce_max_sync(all_lanes, max_lanes == 1 ? share : max(share, 8u));
  auto const sorted = [&]<unsigned Items, class Word>() {
    return sort_small<Items, Word, Floats>(encoding, shared, keys, lanes, max_lanes, begin, n);
  };
  // For mixed lengths, most run the same code, because a multiprocessor's instruction cache is small.
  bool const done = widest <= 2 && alike    ? sorted.template operator()<2, few>()
                    : widest <= 4           ? sorted.template operator()<4, few>()
                    : widest <= 8           ? sorted.template operator()<8, std::uint32_t>()
                    : widest <= 12 && alike ? sorted.template operator()<12, std::uint32_t>()
                    : widest <= 16          ? sorted.template operator()<16, std::uint32_t>()
                                            : sorted.template operator()<storage::registers, std::uint32_t>();
  if constexpr (value_bytes<V> != 0) {
    if (done) return;
      // Words with all bits are twice as wide: twice as many lanes per segment, half of the segments at a time.
#pragma unroll 1
    for (unsigned half = 0; half < warp_threads; half += warp_threads / 2) {
      auto const of_half = [&](unsigned x) { return __shfl_sync(all_lanes, x, half + lane_id() / 2); };
      sort_small<storage::registers / 2, unsigned long long, Floats>(encoding, shared, keys, 2 * of_half(lanes), 2 * max_lanes,
                                                                     of_half(begin), of_half(n));
    }
  }
}

/// The number of lanes of each class: nine bits per class in one word, largest segments first.
struct lanes_of_classes {
  static constexpr unsigned count_bits = 9, max_classes = 64 / count_bits;
  static_assert(tuning::small_segments + tuning::small_items / 8 < 1u << count_bits);
  std::uint64_t word = 0;

  __device__ static unsigned count_shift(unsigned of_class) { return count_bits * (max_classes - 1 - of_class); }
  __device__ void add(unsigned of_class, unsigned lanes) { word += std::uint64_t{lanes} << count_shift(of_class); }
  [[nodiscard]] __device__ unsigned operator[](unsigned of_class) const {
    return unsigned(word >> count_shift(of_class)) & ((1u << count_bits) - 1);
  }
  /// Returns, for each class, its lanes and those of all larger ones.
  [[nodiscard]] __device__ lanes_of_classes inclusive_sums() const {
    // As a multiplication by a one for each class.
    lanes_of_classes sums{word};
#pragma unroll
    for (unsigned c = 1; c < max_classes; ++c) sums.word += word << count_bits * c;
    return sums;
  }
  /// Returns the sums over this lane of the warp and those below it.
  [[nodiscard]] __device__ lanes_of_classes sums_of_lanes() const {
    std::uint64_t sum = word;
#pragma unroll 1
    for (unsigned step = 1; step < warp_threads; step *= 2) {
      std::uint64_t const below = __shfl_up_sync(all_lanes, sum, step);
      if (lane_id() >= step) sum += below;
    }
    return {sum};
  }
};

/// Gives each segment as many lanes as it needs, the largest first: numbers[lane] is its segment's number, counted from
/// `first`. Returns the number of lanes.
template <class LengthAt>
__device__ __forceinline__ unsigned number_lanes(std::uint8_t* numbers, unsigned first, unsigned last, LengthAt length_at) {
  lanes_of_classes lanes;  // for this lane's segments
#pragma unroll 1
  for (unsigned s = first + lane_id(); s < last; s += warp_threads) {
    unsigned const c = small_class(length_at(s));
    lanes.add(c, 1u << small_lanes_bits(c));
  }
  lanes_of_classes places = lanes.sums_of_lanes();
  lanes_of_classes const all{__shfl_sync(all_lanes, places.word, warp_threads - 1)}, sums = all.inclusive_sums();
  places.word += (sums.word << lanes_of_classes::count_bits) - lanes.word;
#pragma unroll 1
  for (unsigned s = first + lane_id(); s < last; s += warp_threads) {
    unsigned const c = small_class(length_at(s)), needed = 1u << small_lanes_bits(c), place = places[c];
    places.add(c, needed);
    // `place` is a multiple of the alignment that the length needs.
    std::uint32_t const number = (s - first) * 0x01010101u;
    if (needed == 1)
      numbers[place] = std::uint8_t(number);
    else if (needed == 2)
      *reinterpret_cast<std::uint16_t*>(numbers + place) = std::uint16_t(number);
    else
      for (unsigned l = 0; l < needed; l += 4) *reinterpret_cast<std::uint32_t*>(numbers + place + l) = number;
  }
  __syncwarp();
  return sums[0];
}

/// Sorts segments [first, last) of those at `places`. Each gets as many lanes as it needs. The largest come first, so that the
/// lanes of a warp have the same amount of work. If all have about the same length, each needs lanes_each lanes; else
/// lanes_each is 0.
template <bool Floats, class K, class V, class Offset, class Places>
__device__ __forceinline__ void sort_small_run(key_code<K> encoding, small_storage<K, V, Offset> const& shared, K const* keys,
                                               Places const& places, unsigned first, unsigned last, unsigned lanes_each) {
  auto const length_at = [&](unsigned s) { return places.length(s); };
  unsigned const count = lanes_each != 0 ? (last - first) * lanes_each : number_lanes(shared.numbers(), first, last, length_at);
#pragma unroll 1
  for (unsigned k = lane_id(); k - lane_id() < count; k += warp_threads) {
    unsigned const s =
        k >= count ? first : first + (lanes_each != 0 ? k >> (31 - __clz(int(lanes_each))) : shared.numbers()[k]);
    unsigned const n = k < count ? length_at(s) : 0;
    sort_small_any<Floats>(encoding, shared, keys, lanes_each != 0 ? lanes_each : 1u << small_lanes_bits(small_class(n)),
                           places.begin(s) - places.begin(first), n, lanes_each != 0);
  }
  __syncwarp();
}

}  // namespace ordo::inline v0::cuda_detail
