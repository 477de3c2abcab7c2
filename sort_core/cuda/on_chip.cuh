#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sort_core/bits.hpp"
#include "sort_core/cuda/group.cuh"
#include "sort_core/cuda/segment_data.cuh"

// Sorting a segment that one block holds: every item finds its rank, then keys and values move there once.
//
// Keys are spread linearly over as many buckets as the block holds items (the buckets of GPU-ArraySort; one pass, no
// compare). Inside its bucket, which holds one or two items of evenly distributed keys, an item counts those before it.
// Where some bucket is crowded the block sorts by merging instead, which takes the same time for all keys. Both orders are
// those of (key, position), so the sort is stable and the same on every run, although buckets fill in no particular order.
namespace ordo::detail {

/// Sorts segments of 1 to Threads * Items items.
template <class K, unsigned Threads, unsigned Items>
struct on_chip {
  using team = group<Threads>;
  using collective = typename team::template storage<K>;
  static constexpr unsigned capacity = Threads * Items;
  static constexpr unsigned position_bits = [] {
    unsigned bits = 1;
    while (1u << bits < capacity) ++bits;
    return bits;
  }();
  static_assert(position_bits <= 15);

  // Shared memory: a word an item, then a counter a bucket; or sorted keys, then their values; or, for merging, keys and
  // positions. Behind them, what the collectives need.
  static constexpr unsigned buckets = (1u << position_bits) % Threads == 0 ? 1u << position_bits : capacity;
  static_assert(sizeof(K) > 4 || buckets == 1u << position_bits, "see rank_by_buckets");
  /// Each thread sums a run of counters. A pad after each 32 keeps threads out of each other's banks.
  static constexpr unsigned run = buckets / Threads;
  static constexpr unsigned pads = 32 % run == 0 ? 32 : 1u << 16;
  __device__ static constexpr unsigned padded(unsigned bucket) { return bucket + bucket / pads; }
  static constexpr unsigned counters = buckets + buckets / pads;
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t working_bytes(std::size_t value_size) {
    return aligned(
        std::max<std::size_t>({(capacity + counters) * 4, capacity * (sizeof(K) + 2), capacity * (sizeof(K) + value_size)}));
  }
  static constexpr std::size_t cell_bytes = 256 * 4;  // for the bounds of cells
  static constexpr std::size_t bytes(std::size_t value_size) {
    return working_bytes(value_size) + aligned(sizeof(collective)) + cell_bytes;
  }

  template <class V, class Keys>
  __device__ static void sort(segment_data<K, V, Keys> const& data, segment_record segment, unsigned char* memory) {
    unsigned const n = segment.length;
    // Items at i * Threads + rank, for all i below this.
    unsigned const mine = (n + (Threads - 1 - team::rank())) / Threads;
    collective& shared = *reinterpret_cast<collective*>(memory + working_bytes(value_bytes<V>));
    K key[Items];
    data.template load<Threads>(segment.from, segment.begin + team::rank(), mine, key);
    clear_counts(memory);
    extremes<K> ends{K(~K{0}), 0};
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      ends.least = min(ends.least, key[i]);
      ends.greatest = max(ends.greatest, i < mine ? key[i] : K{0});
    }
    ends = team::reduce(ends, shared);
    std::uint32_t rank[Items];
    if (!rank_by_buckets(key, n, mine, ends, rank, memory, shared)) {
      K* const keys = reinterpret_cast<K*>(memory);
      team::sync();
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < mine) keys[i * Threads + team::rank()] = key[i];
      team::sync();
      merge(memory, n);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) rank[i] = index_of(memory)[i * Threads + team::rank()];
    }
    stage_and_store(data, segment, mine, key, rank, memory);
  }

 private:
  /// More items than this in one bucket, and merging is the better way.
  static constexpr unsigned crowd = 32;

  __device__ static std::uint32_t* counts_of(unsigned char* memory) {
    return reinterpret_cast<std::uint32_t*>(memory) + capacity;
  }
  __device__ static std::uint32_t* cell_bounds(collective& shared) {
    return reinterpret_cast<std::uint32_t*>(reinterpret_cast<unsigned char*>(&shared) + aligned(sizeof(collective)));
  }
  __device__ static std::uint16_t* index_of(unsigned char* memory) {  // merging: behind the keys
    return reinterpret_cast<std::uint16_t*>(memory + capacity * sizeof(K));
  }

  __device__ static void clear_counts(unsigned char* memory) {
    auto* const counts = counts_of(memory);
#pragma unroll
    for (unsigned w = 0; w < counters; w += Threads)
      if (w + Threads <= counters || w + team::rank() < counters) counts[w + team::rank()] = 0;
  }

  /// keys[rank[i]] = key[i] and so for the values, out to memory.
  template <class V, class Keys>
  __device__ static void stage_and_store(segment_data<K, V, Keys> const& data, segment_record segment, unsigned mine,
                                         K const (&key)[Items], std::uint32_t const (&rank)[Items], unsigned char* memory) {
    std::uint64_t const first = segment.begin + team::rank();
    V value[Items];
    if constexpr (value_bytes<V> != 0) {
      V const* const source = data.value_address(segment.from, first);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < mine) value[i] = source[i * Threads];
    }
    team::sync();
    K* const keys = reinterpret_cast<K*>(memory);
    V* const values = reinterpret_cast<V*>(memory + capacity * sizeof(K));
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (i < mine) {
        keys[rank[i]] = key[i];
        if constexpr (value_bytes<V> != 0) values[rank[i]] = value[i];
      }
    }
    team::sync();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (i < mine) {
        data.keys.store(first + i * Threads, keys[i * Threads + team::rank()]);
        if constexpr (value_bytes<V> != 0) data.values[first + i * Threads] = values[i * Threads + team::rank()];
      }
    }
    if (data.heads) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        unsigned const p = i * Threads + team::rank();
        if (i < mine) data.heads[segment.begin + p] = p == 0 || keys[p - 1] != keys[p];
      }
    }
    team::sync();
  }

  /// A key's bucket in the upper 32 bits, its order in the bucket below: a linear map of [0, 2^32) to all buckets.
  struct linear_map {
    std::uint32_t scale;
    __device__ explicit linear_map(std::uint32_t most) {
      scale = std::uint32_t(__fdividef(float(buckets) * 4294967296.0f, float(most)));
      if (__umulhi(most, scale) >= buckets) --scale;
      // Keys of 32 bits then never agree in a word: they differ by `scale` in the product, and a word leaves out less.
      scale = max(scale, buckets);
    }
    [[nodiscard]] __device__ std::uint64_t operator()(std::uint32_t x) const { return std::uint64_t(x) * scale; }
  };

  /// The same where keys are dense here and sparse there, as floats are: the range is cut into cells, each linear in itself,
  /// and a cell has as many buckets as it has items.
  struct celled_map {
    static constexpr unsigned cell_bits = position_bits < 8 ? position_bits : 8, cells = 1u << cell_bits;
    std::uint32_t const* bounds;  // of a cell: its first bucket, and 16 bits above, how many it has
    [[nodiscard]] __device__ std::uint64_t operator()(std::uint32_t x) const {
      std::uint32_t const bound = bounds[x >> (32 - cell_bits)];
      return (std::uint64_t(bound & 0xffff) << 32) + std::uint64_t(x << cell_bits) * (bound >> 16);
    }
  };

  /// False if the buckets are too uneven, or 32 bits too few to tell the keys apart.
  __device__ static bool rank_by_buckets(K const (&key)[Items], unsigned n, unsigned mine, extremes<K> ends,
                                         std::uint32_t (&rank)[Items], unsigned char* memory, collective& shared) {
    if (ends.least == ends.greatest) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) rank[i] = i * Threads + team::rank();
      return true;
    }
    // The range shifted so that it fills 32 bits.
    K const least = ends.least, range = K(ends.greatest - least);
    unsigned const shift = leading_zeros(std::uint64_t(range)) - (64 - 8 * unsigned(sizeof(K)));
    auto const upper = [&](K x) { return std::uint32_t(K(K(x - least) << shift) >> (8 * sizeof(K) - 32)); };
    if (rank_in_buckets<sizeof(K) == 4>(key, upper, linear_map(upper(ends.greatest)), n, mine, rank, memory, shared))
      return true;
    return rank_by_cells(key, least, shift, n, mine, rank, memory, shared);
  }

  /// Not inlined, as merge.
  __device__ __noinline__ static void count_cells(unsigned char* memory, unsigned n, collective& shared) {
    // In: 32 bits of each item, as words. Out: the cells' bounds, and counters at 0.
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
    auto* const counts = counts_of(memory);
    constexpr unsigned cells = celled_map::cells;
    team::sync();
    clear_counts(memory);
    team::sync();
    for (unsigned p = team::rank(); p < n; p += Threads) atomicAdd(&counts[words[p] >> (32 - celled_map::cell_bits)], 1u);
    team::sync();
    constexpr unsigned run_of_cells = (cells + Threads - 1) / Threads;
    std::uint32_t count[run_of_cells], sum = 0;
#pragma unroll
    for (unsigned j = 0; j < run_of_cells; ++j) {
      unsigned const cell = team::rank() * run_of_cells + j;
      sum += count[j] = cell < cells ? counts[cell] : 0;
    }
    std::uint32_t begin = team::exclusive_sum(sum, shared);
    team::sync();
    auto* const bounds = cell_bounds(shared);
#pragma unroll
    for (unsigned j = 0; j < run_of_cells; ++j) {
      unsigned const cell = team::rank() * run_of_cells + j;
      if (cell < cells) bounds[cell] = begin | count[j] << 16;
      begin += count[j];
    }
    clear_counts(memory);
    team::sync();
  }

  __device__ static bool rank_by_cells(K const (&key)[Items], K least, unsigned shift, unsigned n, unsigned mine,
                                       std::uint32_t (&rank)[Items], unsigned char* memory, collective& shared) {
    auto const upper = [&](K x) { return std::uint32_t(K(K(x - least) << shift) >> (8 * sizeof(K) - 32)); };
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < mine) words[i * Threads + team::rank()] = upper(key[i]);
    count_cells(memory, n, shared);
    return rank_in_buckets<false>(key, upper, celled_map{cell_bounds(shared)}, n, mine, rank, memory, shared);
  }

  template <bool Exact, class Upper, class Map>
  __device__ static bool rank_in_buckets(K const (&key)[Items], Upper upper, Map map, unsigned n, unsigned mine,
                                         std::uint32_t (&rank)[Items], unsigned char* memory, collective& shared) {
    auto* const counts = counts_of(memory);
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
    std::uint32_t word[Items];
    unsigned largest = 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      std::uint64_t const product = map(upper(key[i]));
      std::uint32_t const at = padded(std::uint32_t(product >> 32));
      word[i] = (std::uint32_t(product) & ~((1u << position_bits) - 1)) | (i * Threads + team::rank());
      std::uint32_t before = 0;
      if (i < mine) before = atomicAdd(&counts[at], 1u);
      largest = max(largest, before);
      rank[i] = at | before << 16;
    }
    if (team::any(largest >= crowd)) return false;

    // Each counter becomes its bucket's begin and size.
    std::uint32_t sum = 0, count[run];
    std::uint32_t* const mine_to_sum = counts + padded(team::rank() * run);
#pragma unroll
    for (unsigned j = 0; j < run; ++j) sum += count[j] = mine_to_sum[j];
    std::uint32_t begin = team::exclusive_sum(sum, shared);
#pragma unroll
    for (unsigned j = 0; j < run; ++j) {
      mine_to_sum[j] = begin | count[j] << 16;
      begin += count[j];
    }
    team::sync();

#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      std::uint32_t const bounds = i < mine ? counts[rank[i] & 0xffff] : 0;
      bool const alone = bounds < 2u << 16;  // nobody to compare with
      if (!alone) words[(bounds & 0xffff) + (rank[i] >> 16)] = word[i];
      rank[i] = alone ? bounds & 0xffff : bounds;
    }
    team::sync();
    constexpr unsigned together = Items % 4 == 0 ? 4 : 3;
    static_assert(Items % together == 0);
#pragma unroll
    for (unsigned row = 0; row < Items; row += together) {
      std::uint32_t longest = 0, size[together];
      std::uint32_t const* others[together];
#pragma unroll
      for (unsigned i = 0; i < together; ++i) {
        size[i] = rank[row + i] >> 16;
        rank[row + i] &= 0xffff;
        others[i] = words + rank[row + i];
        longest = max(longest, size[i]);
      }
      for (unsigned d = 0; d < longest; ++d) {
#pragma unroll
        for (unsigned i = 0; i < together; ++i)
          if (d < size[i] && others[i][d] < word[row + i]) ++rank[row + i];
      }
    }
    if constexpr (!Exact) {
      // Keys may differ beyond the bits of a word.
      team::sync();
      K* const keys = reinterpret_cast<K*>(memory);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < mine) keys[rank[i]] = key[i];
      team::sync();
      bool turned = false;
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < mine && rank[i] + 1 < n) turned |= keys[rank[i] + 1] < key[i];
      if (team::any(turned)) return false;
    }
    return true;
  }

  /// For keys of any distribution, with the keys in memory already: leaves in index_of where each position goes. Runs of Items
  /// by odd-even transposition in registers, then merges of two runs into one, each thread making Items consecutive items
  /// of the output (merge path: Odeh, Green et al.). Stable. Not inlined: it is rare, and must not cost the rest registers.
  __device__ __noinline__ static void merge(unsigned char* memory, unsigned n) {
    K* const keys = reinterpret_cast<K*>(memory);
    std::uint16_t* const index = index_of(memory);
    unsigned const first = team::rank() * Items;
    K mine[Items];
    std::uint32_t from[Items];
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      mine[i] = first + i < n ? keys[first + i] : K(~K{0});
      from[i] = first + i;
    }
#pragma unroll
    for (unsigned round = 0; round < Items; ++round) {
#pragma unroll
      for (unsigned i = round % 2; i + 1 < Items; i += 2) {
        bool const turned = mine[i + 1] < mine[i];
        K const less = turned ? mine[i + 1] : mine[i], more = turned ? mine[i] : mine[i + 1];
        std::uint32_t const of_less = turned ? from[i + 1] : from[i], of_more = turned ? from[i] : from[i + 1];
        mine[i] = less, mine[i + 1] = more;
        from[i] = of_less, from[i + 1] = of_more;
      }
    }
    for (unsigned width = Items;; width *= 2) {
      team::sync();
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        if (first + i < n) {
          keys[first + i] = mine[i];
          index[first + i] = std::uint16_t(from[i]);
        }
      }
      team::sync();
      if (width >= n) break;
      if (first >= n) continue;
      unsigned const left = first / (2 * width) * (2 * width);
      unsigned const middle = left + width < n ? left + width : n, right = left + 2 * width < n ? left + 2 * width : n;
      unsigned const diagonal = first - left;
      unsigned low = diagonal > right - middle ? diagonal - (right - middle) : 0;
      unsigned high = diagonal < middle - left ? diagonal : middle - left;
      while (low < high) {
        unsigned const half = (low + high) / 2;
        if (keys[left + half] <= keys[middle + diagonal - 1 - half])
          low = half + 1;
        else
          high = half;
      }
      unsigned a = left + low, b = middle + diagonal - low;
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        if (first + i < n) {
          bool const take_left = b >= right || (a < middle && keys[a] <= keys[b]);
          unsigned const source = take_left ? a++ : b++;
          mine[i] = keys[source];
          from[i] = index[source];
        }
      }
    }
    // index[q] says who comes to q; each item wants to know where it goes.
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) from[i] = first + i < n ? index[first + i] : 0;
    team::sync();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (first + i < n) index[from[i]] = std::uint16_t(first + i);
    team::sync();
  }
};

}  // namespace ordo::detail
