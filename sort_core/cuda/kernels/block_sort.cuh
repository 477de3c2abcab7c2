#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/cuda/kernels/block_buckets.cuh"
#include "sort_core/cuda/kernels/block_counting.cuh"
#include "sort_core/cuda/kernels/block_dense_keys.cuh"
#include "sort_core/cuda/kernels/block_memory.cuh"
#include "sort_core/cuda/primitives/float_values.cuh"

// Sorting of a segment that fits in one block. Each item finds its rank; then keys and values move once.
//
// Keys are distributed linearly to four times as many buckets as the block holds items (the buckets of GPU-ArraySort: one pass,
// no comparison). Floating-point keys are distributed by their values if these look more even than their codes. If keys are
// evenly distributed, most items are alone in their bucket; the others count those before them (block_buckets.cuh). Keys
// without values in a small range are counted (block_counting.cuh).
// If some bucket has too many items, the block tries other methods (block_dense_keys.cuh): a dictionary, if there are few
// distinct keys, whose numbers are ranked by counting; buckets that are narrow where keys are dense; and last a merge sort.
// Every method orders by (key, position), so the sort is stable and the same on every run, although buckets fill in no
// particular order.
namespace ordo::inline v0::cuda_detail {

/// The sort of segments of 1 to Threads * Items items.
template <class K, unsigned Threads, unsigned Items>
struct block_sort : block_memory<K, Threads, Items> {
  using base = block_memory<K, Threads, Items>;
  using base::capacity, base::values_arrive, base::values_at, base::working_bytes;
  using typename base::collective, typename base::team;
  using by_buckets = block_buckets<K, Threads, Items>;
  using by_counting = block_counting<K, Threads, Items>;
  using by_dense_keys = block_dense_keys<K, Threads, Items>;

  /// Uses all of the block's dynamic shared memory.
  template <class V, class Keys>
  __device__ static void sort(segment_data<K, V, Keys> const& data, segment_record segment) {
    unsigned char* const memory = dynamic_shared_memory();
    unsigned const n = segment.length, own_count = base::count_own(n);
    collective& shared = *reinterpret_cast<collective*>(memory + working_bytes(value_bytes<V>));
    K key[Items];
    data.template load<Threads>(segment.from, segment.begin + team::rank(), own_count, key);
    base::clear_counts(memory);
    begin_values(data, segment, own_count, memory);
    extremes<K> const ends = estimate_extremes(key, own_count, shared);
    // Shifts the range so that it fills 32 bits.
    unsigned const shift = shift_of_range(K(ends.greatest - ends.smallest));
    std::uint32_t rank[Items];
    ranking result = ranking::dense_keys;
    if constexpr (value_bytes<V> == 0) result = rank_by_counting(key, ends, n, own_count, rank, memory, shared);
    if (result != ranking::exact) result = rank_by_buckets(data, segment, key, ends, own_count, rank, memory, shared);
    team::sync();
    V const* const values = locate_values(data, segment, memory);
    if (result <= ranking::rough) {
      base::scatter(own_count, key, values, rank, memory);
      if (result == ranking::rough) result = base::in_order(n, own_count, memory) ? ranking::exact : ranking::alike;
    }
    if (result != ranking::exact) {
      write_back(data, segment, key, own_count, memory);
      by_dense_keys::rank_and_scatter(n, ends.smallest, shift, result == ranking::dense_keys,
                                      unsigned(reinterpret_cast<unsigned char*>(&shared) - memory), values);
    }
    store(data, segment, own_count, memory);
  }

 private:
  /// Ranks keys without values in a small range. If the result is not exact, the counters are cleared for other methods.
  __device__ static __forceinline__ ranking rank_by_counting(K const (&key)[Items], extremes<K> ends, unsigned n,
                                                             unsigned own_count, std::uint32_t (&rank)[Items],
                                                             unsigned char* memory, collective& shared) {
    ranking result = ranking::dense_keys;
    K const range = ends.greatest - ends.smallest;
    if (range != 0 && range < by_counting::template numbers<16>) {
      result = by_counting::template rank_keys<16>(key, ends.smallest, own_count, rank, memory, shared);
    } else if (range < by_counting::template numbers<2> && unsigned(range) / tuning::sparse_numbers >= n) {
      result = by_counting::template rank_keys<2>(key, ends.smallest, own_count, rank, memory, shared);
      if (result != ranking::exact) {
        team::sync();
        base::clear_counts(memory);
        team::sync();
      }
    }
    return result;
  }

  /// Ranks floats by their values if these look more even than their codes.
  template <class V, class Keys>
  __device__ static __forceinline__ ranking rank_by_buckets(segment_data<K, V, Keys> const& data, segment_record segment,
                                                            K (&key)[Items], extremes<K> ends, unsigned own_count,
                                                            std::uint32_t (&rank)[Items], unsigned char* memory,
                                                            collective& shared) {
    key_code<K> const code = data.keys.code_of_floats();
    bool const by_value = of_floats(code) && number_by_value(key, code, ends);
    ranking const result = by_buckets::rank_evenly(key, ends, own_count, rank, memory, shared);
    // After a failure all keys are loaded again anyway.
    if (by_value && result != ranking::dense_keys)
      data.template load<Threads>(segment.from, segment.begin + team::rank(), own_count, key);
    // 64-bit keys may differ only in bits that a word leaves out.
    return result == ranking::exact && (sizeof(K) > 4 || by_value) ? ranking::rough : result;
  }

  /// Puts the keys into shared memory for block_dense_keys.cuh. Stored keys are read from global memory again, so that they
  /// take no registers until then. Computed keys come from registers, because computing them may be slow.
  template <class V, class Keys>
  __device__ static __forceinline__ void write_back(segment_data<K, V, Keys> const& data, segment_record segment,
                                                    K const (&key)[Items], unsigned own_count, unsigned char* memory) {
    K* const keys = reinterpret_cast<K*>(memory) + team::rank();
    if constexpr (Keys::computed) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < own_count) keys[i * Threads] = key[i];
    } else {
      constexpr unsigned at_once = 4;
#pragma unroll 1
      for (unsigned i = 0; i < own_count; i += at_once) {
        K some[at_once];
        data.template load<Threads>(segment.from, segment.begin + team::rank() + i * Threads, min(own_count - i, at_once),
                                    some);
#pragma unroll
        for (unsigned j = 0; j < at_once; ++j)
          if (i + j < own_count) keys[(i + j) * Threads] = some[j];
      }
    }
  }

  /// Returns a lower and an upper bound of the keys, close enough for buckets. Exact if all keys are equal.
  [[nodiscard]] __device__ static extremes<K> estimate_extremes(K const (&key)[Items], unsigned own_count, collective& shared) {
    auto const all = [&](auto to_part) {
      using part = decltype(to_part(K{}));
      extremes<part> ends{part(~part{0}), 0};
      own_count = opaque(own_count);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        ends.smallest = min(ends.smallest, to_part(key[i]));
        ends.greatest = max(ends.greatest, i < own_count ? to_part(key[i]) : part{0});
      }
      return team::reduce(ends, shared);
    };
    if constexpr (sizeof(K) > 4) {
      // Uses the upper words, unless too few of their bits differ.
      auto const upper = all([](K x) { return std::uint32_t(x >> 32); });
      if (upper.greatest - upper.smallest >= 256) return {K(upper.smallest) << 32, K(upper.greatest) << 32 | 0xffffffffu};
      team::sync();
    }
    return all([](K x) { return x; });
  }

  /// Starts loading values.
  template <class V, class Keys>
  __device__ static void begin_values(segment_data<K, V, Keys> const& data, segment_record segment, unsigned own_count,
                                      unsigned char* memory) {
    if constexpr (values_arrive(value_bytes<V>)) {
      V const* const source = data.value_address(segment.from, segment.begin + team::rank());
      V* const values = reinterpret_cast<V*>(memory + values_at(sizeof(V))) + team::rank();
      own_count = opaque(own_count);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < own_count) copy_async(values + i * Threads, source + i * Threads);
    }
  }

  /// Returns the location of this thread's values: where they are, or are being loaded to.
  template <class V, class Keys>
  __device__ static V const* locate_values(segment_data<K, V, Keys> const& data, segment_record segment,
                                           unsigned char* memory) {
    if constexpr (value_bytes<V> == 0)
      return nullptr;
    else if constexpr (values_arrive(sizeof(V)))
      return reinterpret_cast<V const*>(memory + values_at(sizeof(V))) + team::rank();
    else
      return data.value_address(segment.from, segment.begin + team::rank());
  }

  /// Replaces codes of floats and their bounds by numbers proportional to their values, if these look more even. Synchronises.
  __device__ static bool number_by_value(K (&key)[Items], key_code<K> code, extremes<K>& ends) {
    float_values<K> const value(code, ends);
    if (!value.finite() || !is_denser_outside(key, ends)) return false;
    auto const number = [&](K x) { return K(K{value(x)} << (8 * sizeof(K) - 32)); };
    K const smallest = number(ends.smallest), greatest = number(ends.greatest);
    if (smallest == greatest) return false;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) key[i] = number(key[i]);
    ends = {smallest, greatest};
    return true;
  }
  /// Returns true if clearly fewer keys are in the middle half of the range than in the rest, by a sample. Synchronises.
  __device__ static bool is_denser_outside(K const (&key)[Items], extremes<K> ends) {
    constexpr unsigned others[3] = {0, Items / 4, Items / 2};
    unsigned const which = team::rank() % 3;
    K const middle_key = which == 0 ? key[others[0]] : which == 1 ? key[others[1]] : key[others[2]];
    K const range = ends.greatest - ends.smallest;
    return team::count(K(middle_key - ends.smallest) - range / 4 < range / 2) < Threads * 3 / 8;
  }

  /// Copies sorted keys and values from shared to device memory.
  template <class V, class Keys>
  __device__ static void store(segment_data<K, V, Keys> const& data, segment_record segment, unsigned own_count,
                               unsigned char* memory) {
    std::uint64_t const first = segment.begin + team::rank();
    K const* const keys = reinterpret_cast<K const*>(memory);
    V const* const values = reinterpret_cast<V const*>(memory + capacity * sizeof(K));
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (i < own_count) {
        data.keys.store(first + i * Threads, keys[i * Threads + team::rank()]);
        if constexpr (value_bytes<V> != 0) data.values[first + i * Threads] = values[i * Threads + team::rank()];
      }
    }
    if (data.heads) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        unsigned const p = i * Threads + team::rank();
        if (i < own_count) data.heads[segment.begin + p] = p == 0 || keys[p - 1] != keys[p];
      }
    }
    team::sync();
  }
};

}  // namespace ordo::inline v0::cuda_detail
