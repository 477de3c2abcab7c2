#pragma once
#include <cstdint>

#include "base/bits.hpp"
#include "sort_core/cuda/kernels/block_buckets.cuh"
#include "sort_core/cuda/kernels/block_memory.cuh"

// Ranking of keys that overflow linear buckets. The keys are in shared memory. Tried in this order: a dictionary, if there are
// few distinct keys; buckets that are narrow where keys are dense; a merge sort.
// Functions that few segments need are not inlined, so that they cost others no registers. Registers are not passed to them by
// reference, because that would move these to memory for all segments.
namespace ordo::inline v0::cuda_detail {

template <class K, unsigned Threads, unsigned Items>
struct block_dense_keys : block_memory<K, Threads, Items> {
  using base = block_memory<K, Threads, Items>;
  using base::cell_bits, base::cells;
  using typename base::collective, typename base::team, typename base::few_keys, typename base::cell_table,
      typename base::radix;

  /// Does the work of scatter for keys in shared memory, after linear buckets have failed.
  template <class V>
  __device__ __noinline__ static void rank_and_scatter(unsigned n, K smallest, unsigned shift, bool is_dense,
                                                       unsigned shared_at, V const* values) {
    unsigned char* const memory = dynamic_shared_memory();
    unsigned const own_count = base::count_own(n);
    team::sync();
    rank_keys(n, smallest, shift, is_dense, shared_at);
    K key[Items];
    std::uint32_t rank[Items];
    read_keys(key, own_count, memory);
    std::uint16_t const* const ranks = base::halves_in(memory) + team::rank();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) rank[i] = i < own_count ? ranks[i * Threads] : 0;
    team::sync();
    base::scatter(own_count, key, values, rank, memory);
  }

 private:
  /// A map for keys that are dense in some places and sparse in others, such as floats or keys with outliers. The range is
  /// divided into cells. Each is linear between its own smallest and greatest key, and has as many buckets as items.
  struct celled_map {
    cell_table const& table;
    K smallest;
    unsigned shift;
    [[nodiscard]] __device__ std::uint64_t operator()(K x) const {
      unsigned const cell = upper_distance(x, smallest, shift) >> (32 - cell_bits);
      std::uint32_t const bound = table.bounds[cell];
      return (std::uint64_t(bound & 0xffff) << 32) +
             std::uint64_t(upper_distance(x, table.smallest[cell], bound >> 16)) * std::uint32_t(table.greatest[cell]);
    }
  };

  __device__ static void write_keys(K const (&key)[Items], unsigned own_count, unsigned char* memory) {
    K* const keys = reinterpret_cast<K*>(memory) + team::rank();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < own_count) keys[i * Threads] = key[i];
  }
  __device__ static void read_keys(K (&key)[Items], unsigned own_count, unsigned char const* memory) {
    K const* const keys = reinterpret_cast<K const*>(memory) + team::rank();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) key[i] = i < own_count ? keys[i * Threads] : K(~K{0});
  }

  /// Ranks the keys in memory. Keys remain; ranks are the 16-bit words after them.
  __device__ __noinline__ static void rank_keys(unsigned n, K smallest, unsigned shift, bool is_dense, unsigned shared_at) {
    if (is_dense) {
      if (rank_few(n, shared_at)) return;
      count_cells(n, smallest, shift, shared_at);
      if (rank_in_cells(n, smallest, shift, shared_at)) return;
    }
    rank_by_merging(n);
  }

  /// Ranks keys with few distinct values: looks each up in a hash table, and sorts the numbers of the values found.
  __device__ __noinline__ static bool rank_few(unsigned n, unsigned shared_at) {
    unsigned char* const memory = dynamic_shared_memory();
    collective& shared = *reinterpret_cast<collective*>(memory + shared_at);
    auto& known = *base::template spare<few_keys>(shared);
    K const* const keys = reinterpret_cast<K const*>(memory);
    std::uint16_t* const codes = base::halves_in(memory);
    unsigned greatest = 0;
    if (!known.number(keys, n, codes, greatest)) return false;
    radix::rank(codes, base::digits_in(memory), n, 64 - leading_zeros(greatest | 1), shared);
    return true;
  }

  /// Computes the table of cells for the keys in memory.
  __device__ __noinline__ static void count_cells(unsigned n, K smallest, unsigned shift, unsigned shared_at) {
    unsigned char* const memory = dynamic_shared_memory();
    collective& shared = *reinterpret_cast<collective*>(memory + shared_at);
    K const* const keys = reinterpret_cast<K const*>(memory);
    cell_table& table = *base::template spare<cell_table>(shared);
    for (unsigned cell = team::rank(); cell < cells; cell += Threads) {
      table.smallest[cell] = K(~K{0});
      table.greatest[cell] = 0;
      table.bounds[cell] = 0;
    }
    team::sync();
    for (unsigned p = team::rank(); p < n; p += Threads) {
      K const key = keys[p];
      unsigned const cell = upper_distance(key, smallest, shift) >> (32 - cell_bits);
      atomicAdd(&table.bounds[cell], 1u);
      // Few keys are below or above all earlier ones.
      K const volatile* const low = &table.smallest[cell];
      K const volatile* const high = &table.greatest[cell];
      if (key < *low) atomicMin(atomic_word(&table.smallest[cell]), atomic_value(key));
      if (key > *high) atomicMax(atomic_word(&table.greatest[cell]), atomic_value(key));
    }
    team::sync();
    constexpr unsigned run_of_cells = (cells + Threads - 1) / Threads;
    std::uint32_t sum = 0;
    unsigned const first = team::rank() * run_of_cells;
    for (unsigned cell = first; cell < first + run_of_cells && cell < cells; ++cell) sum += table.bounds[cell];
    std::uint32_t begin = team::exclusive_sum(sum, shared);
    for (unsigned cell = first; cell < first + run_of_cells && cell < cells; ++cell) {
      std::uint32_t const count = table.bounds[cell];
      K const low = table.smallest[cell], high = table.greatest[cell];
      unsigned const fill = count == 0 ? 0 : shift_of_range(K(high - low));
      table.bounds[cell] = begin | fill << 16;
      table.greatest[cell] = linear_map(upper_distance(high, low, fill), count).scale;
      begin += count;
    }
    team::sync();
  }

  /// Ranks by the table of cells. Returns false if a bucket has too many items or the order is wrong; the keys are then
  /// unchanged.
  __device__ static __forceinline__ bool rank_in_cells(unsigned n, K smallest, unsigned shift, unsigned shared_at) {
    unsigned char* const memory = dynamic_shared_memory();
    collective& shared = *reinterpret_cast<collective*>(memory + shared_at);
    unsigned const own_count = base::count_own(n);
    K key[Items];
    std::uint32_t rank[Items];
    read_keys(key, own_count, memory);
    team::sync();
    base::clear_counts(memory);
    team::sync();
    ranking result = block_buckets<K, Threads, Items>::template rank_in_buckets<8>(
        key, celled_map{*base::template spare<cell_table>(shared), smallest, shift}, own_count, rank, memory, shared);
    team::sync();
    if (result == ranking::exact) {
      K* const keys = reinterpret_cast<K*>(memory);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < own_count) keys[rank[i]] = key[i];
      team::sync();
      if (!base::in_order(n, own_count, memory)) result = ranking::alike;
    }
    write_keys(key, own_count, memory);
    if (result == ranking::exact) {
      std::uint16_t* const ranks = base::halves_in(memory) + team::rank();
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < own_count) ranks[i * Threads] = std::uint16_t(rank[i]);
    }
    team::sync();
    return result == ranking::exact;
  }

  /// Ranks any keys: merges their positions (merge path: Green, McColl and Bader, ICS'12). Comparisons take as long for all
  /// keys; a radix sort by eight digits of 64-bit keys took longer.
  __device__ __noinline__ static void rank_by_merging(unsigned n) {
    unsigned char* const memory = dynamic_shared_memory();
    K const* const keys = reinterpret_cast<K const*>(memory);
    std::uint16_t* const order = base::halves_in(memory);
    unsigned const first = team::rank() * Items, length = (n + Items - 1) / Items * Items;
    // Positions from n on are those of the greatest key, and stay last.
    auto const key_at = [&](unsigned position) { return position < n ? keys[position] : K(~K{0}); };
    bool const has_any = first < n;
    std::uint32_t place[Items];
    if (has_any) sort_own(first, key_at, place);
#pragma unroll 1
    for (unsigned threads = 1; threads * Items < n; threads *= 2) {
      team::sync();
      if (has_any) {
#pragma unroll
        for (unsigned i = 0; i < Items; ++i) order[first + i] = std::uint16_t(place[i]);
      }
      team::sync();
      if (has_any) {
        unsigned const run = threads * Items, skip = (team::rank() & (2 * threads - 1)) * Items, begin = first - skip;
        merge(order, begin, min(begin + run, length), min(begin + 2 * run, length), skip, key_at, place);
      }
    }
    team::sync();
    if (has_any) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (place[i] < n) order[place[i]] = std::uint16_t(first + i);
    }
    team::sync();
  }
  /// Writes the positions first, first + 1, ... in the order of their keys. An odd-even transposition sort exchanges only
  /// neighbours, so that equal keys stay in order.
  template <class KeyAt>
  __device__ static __forceinline__ void sort_own(unsigned first, KeyAt key_at, std::uint32_t (&place)[Items]) {
    K key[Items];
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      place[i] = first + i;
      key[i] = key_at(first + i);
    }
#pragma unroll 1
    for (unsigned round = 0; round < Items; round += 2) {
#pragma unroll
      for (unsigned odd = 0; odd < 2; ++odd) {
#pragma unroll
        for (unsigned i = odd; i + 1 < Items; i += 2) {
          bool const swaps = key[i + 1] < key[i];
          K const lower = swaps ? key[i + 1] : key[i];
          key[i + 1] = swaps ? key[i] : key[i + 1];
          key[i] = lower;
          std::uint32_t const of_lower = swaps ? place[i + 1] : place[i];
          place[i + 1] = swaps ? place[i] : place[i + 1];
          place[i] = of_lower;
        }
      }
    }
  }
  /// Writes to `place` the positions from number `skip` on of the merge of order[begin, middle) and order[middle, end).
  template <class KeyAt>
  __device__ static __forceinline__ void merge(std::uint16_t const* order, unsigned begin, unsigned middle, unsigned end,
                                               unsigned skip, KeyAt key_at, std::uint32_t (&place)[Items]) {
    unsigned const second = end - middle;
    // Bisection for the number of positions of the first sequence that come before.
    unsigned low = skip > second ? skip - second : 0, high = min(skip, middle - begin);
    while (low < high) {
      unsigned const half = (low + high) / 2;
      if (key_at(order[middle + skip - 1 - half]) < key_at(order[begin + half]))
        high = half;
      else
        low = half + 1;
    }
    unsigned a = begin + low, b = middle + skip - low;
    std::uint32_t place_a = order[min(a, end - 1)], place_b = order[min(b, end - 1)];
    K key_a = key_at(place_a), key_b = key_at(place_b);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      bool const from_b = b < end && (a >= middle || key_b < key_a);
      place[i] = from_b ? place_b : place_a;
      unsigned const next = (from_b ? b : a) + 1;
      std::uint32_t const coming = order[min(next, end - 1)];
      K const key = key_at(coming);
      place_a = from_b ? place_a : coming;
      key_a = from_b ? key_a : key;
      place_b = from_b ? coming : place_b;
      key_b = from_b ? key : key_b;
      a = from_b ? a : next;
      b = from_b ? next : b;
    }
  }
};

}  // namespace ordo::inline v0::cuda_detail
