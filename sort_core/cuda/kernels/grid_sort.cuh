#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cooperative_groups.h>

#include "base/bits.hpp"
#include "sort_core/cuda/kernels/block_sort.cuh"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/radix_sample.cuh"
#include "sort_core/cuda/tuning/radix.hpp"
#include "sort_core/cuda/tuning/segmented.cuh"

// The sort of one array that is too large for a block, in one launch: a sample sort (Leischner et al., IPDPS'10) whose blocks
// all run at once. Each block sorts the same sample, of which every key is a splitter. It ranks its share of the items by
// bucket; sums over the blocks give the position of each bucket's items; and the blocks exchange them through the L2 cache.
// Then each block sorts the buckets that begin in its share of the result, as many at a time as fit in a block.
//
// Items are compared by (key, position), so that equal keys spread over buckets as evenly as others, whatever their number.
namespace ordo::inline v0::cuda_detail {

/// The sizes of a sort of one array in one launch.
template <class K, class V>
struct grid_sizes {
  static constexpr unsigned threads = 1024, warps = threads / warp_threads;
  static constexpr unsigned max_buckets = threads, bucket_bits = 10, cells = threads;
  static_assert(max_buckets == 1u << bucket_bits);
  static constexpr unsigned items = sizeof(K) + value_bytes<V> <= 12 ? 8 : 4, tile = threads * items;
  /// Items with values keep the order of equal keys.
  static constexpr bool stable = value_bytes<V> != 0;
  using by_block = block_sort<K, threads, tuning::few_short_items>;
  using by_large_block = block_sort<K, threads, tuning::class_shape<sizeof(K), value_bytes<V>>(tuning::few_class).items>;
  static_assert(tuning::class_shape<sizeof(K), value_bytes<V>>(tuning::few_class).threads == threads);
  static constexpr unsigned capacity = by_large_block::capacity;
  using team = group<threads>;

  /// The shared memory of a block before it sorts buckets.
  struct storage {
    alignas(16) std::uint16_t counts[warps][max_buckets];  // of each warp; if not stable, words at its front, of the block
    K splitters[max_buckets];
    std::uint32_t places[max_buckets];  // the splitters' positions
    std::uint32_t cells[grid_sizes::cells];
    std::uint32_t local[max_buckets], offsets[max_buckets];
    typename team::template storage<K> collective;
    extremes<K> ends;  // of the sample
    std::uint16_t bucket_of[tile];
    alignas(16) K keys[tile];
    alignas(16) unsigned char values[value_bytes<V> == 0 ? 16 : tile * value_bytes<V>];
  };
  /// The positions at which buckets begin are after the memory in which these are sorted.
  static constexpr std::size_t begins_at =
      (std::max({sizeof(storage), by_block::bytes(value_bytes<V>), by_large_block::bytes(value_bytes<V>)}) + 15) / 16 * 16;
  static constexpr std::size_t shared_bytes = begins_at + (max_buckets + 1) * sizeof(std::uint32_t);

  static bool possible() { return shared_bytes <= shared_memory_limit(); }
};

/// The input, in the caller's arrays, and device memory for the exchange.
template <class K, class V>
struct grid_work {
  K const* keys;
  V const* values;
  std::uint32_t n, buckets;  // buckets: a power of two from 64 to max_buckets
  std::uint32_t *counts, *totals;  // of the blocks' items by bucket: gridDim.x rows of `buckets`; and of all
};

template <class K, class V>
struct grid_sorter : grid_sizes<K, V> {
  using sizes = grid_sizes<K, V>;
  using sizes::threads, sizes::warps, sizes::items, sizes::tile, sizes::stable, sizes::capacity, sizes::bucket_bits;
  using typename sizes::storage, typename sizes::team;
  using data_type = segment_data<K, V, stored_keys<K>>;

  [[nodiscard]] __device__ static storage& shared() { return *reinterpret_cast<storage*>(dynamic_shared_memory()); }
  [[nodiscard]] __device__ static std::uint32_t* begins() {
    return reinterpret_cast<std::uint32_t*>(dynamic_shared_memory() + sizes::begins_at);
  }
  /// Returns this thread's first item of a tile. A warp's items are consecutive, 32 at a time.
  [[nodiscard]] __device__ static unsigned first_of_lane() {
    return threadIdx.x / warp_threads * (items * warp_threads) + lane_id();
  }

  /// Items in device memory.
  struct array {
    K const* keys;
    V const* values;
    key_code<K> code;
  };

  /// Loads the codes of this thread's items of a tile of `count` items.
  __device__ static void load(array const& from, std::uint32_t begin, unsigned count, K (&key)[items]) {
    K const* const keys = from.keys + begin + first_of_lane();
#pragma unroll
    for (unsigned i = 0; i < items; ++i) key[i] = first_of_lane() + i * warp_threads < count ? keys[i * warp_threads] : K{0};
#pragma unroll
    for (unsigned i = 0; i < items; ++i) key[i] = from.code.encode(key[i]);
  }

  /// Divides the range of the sample into cells. Keys outside are in the first and the last.
  struct cell_map {
    K smallest;
    unsigned shift;
    __device__ explicit cell_map(extremes<K> ends) : smallest(ends.smallest) {
      unsigned const width = 64 - leading_zeros(std::uint64_t(ends.greatest - ends.smallest));
      shift = width > bucket_bits ? width - bucket_bits : 0;
    }
    [[nodiscard]] __device__ unsigned operator()(K key) const {
      return key <= smallest ? 0 : unsigned(min(K(K(key - smallest) >> shift), K(sizes::cells - 1)));
    }
  };

  /// Sorts a sample of as many items as there are buckets, by (key, position), and makes a table of cells, which divide the
  /// sample's range: how many splitters are below each cell and, above 16 bits, how many in it. The smallest key of the sample
  /// is no splitter.
  __device__ static cell_map choose_splitters(array const& from, std::uint32_t n, unsigned buckets) {
    storage& s = shared();
    unsigned const t = threadIdx.x;
    bool const in_sample = t < buckets;
    K key{};
    std::uint32_t place = 0;
    if (in_sample) {
      std::size_t const stride = n / buckets;
      place = std::uint32_t(t * stride + place_in_stride(t, stride));
      key = from.code.encode(from.keys[place]);
    }
    if (in_sample) {
#pragma unroll
      for (unsigned size = 2; size <= warp_threads; size *= 2) {  // bitonic sort of 32
#pragma unroll
        for (unsigned step = size / 2; step > 0; step /= 2) {
          K const other = of_other_lane(key, step);
          std::uint32_t const other_place = __shfl_xor_sync(all_lanes, place, step);
          bool const other_first = other < key || (other == key && other_place < place);
          bool const ascending = (lane_id() & size) == 0 || size == warp_threads;
          if (other_first == (ascending == ((lane_id() & step) == 0))) key = other, place = other_place;
        }
      }
    }
    unsigned at = t;
#pragma unroll 1
    for (unsigned run = warp_threads; run < buckets; run *= 2) {  // merges pairs of runs: an item's rank in the other is added
      team::sync();
      if (in_sample) s.splitters[at] = key, s.places[at] = place;
      team::sync();
      if (!in_sample) continue;
      unsigned const other = (at & ~(run - 1)) ^ run;
      unsigned below = 0;
#pragma unroll 1
      for (unsigned step = run / 2; step > 0; step /= 2) {
        unsigned const middle = other + below + step - 1;
        K const splitter = s.splitters[middle];
        if (splitter < key || (splitter == key && s.places[middle] < place)) below += step;
      }
      {  // the last of the other run
        unsigned const middle = other + below;
        K const splitter = s.splitters[middle];
        if (splitter < key || (splitter == key && s.places[middle] < place)) ++below;
      }
      at = (at & ~(2 * run - 1)) + (at & (run - 1)) + below;
    }
    team::sync();
    if (in_sample) {
      if (at == 0) s.ends.smallest = key;
      if (at == buckets - 1) s.ends.greatest = key;
      if (at != 0) s.splitters[at - 1] = key, s.places[at - 1] = place;
    }
    s.cells[t] = 0;
    team::sync();
    cell_map const cell_of(s.ends);
    if (in_sample && at != 0) atomicAdd(&s.cells[cell_of(key)], 1u);
    team::sync();
    std::uint32_t const count = s.cells[t];
    s.cells[t] = team::exclusive_sum(count, s.collective) | count << 16;
    team::sync();
    return cell_of;
  }

  /// Returns the bucket of an item: the number of splitters that do not come after it.
  [[nodiscard]] __device__ static unsigned bucket_of(K key, std::uint32_t place, cell_map const& cell_of) {
    storage const& s = shared();
    std::uint32_t const cell = s.cells[cell_of(key)];
    unsigned first = cell & 0xffff, left = cell >> 16;
    while (left != 0) {
      unsigned const half = left / 2, middle = first + half;
      K const splitter = s.splitters[middle];
      if (splitter < key || (splitter == key && s.places[middle] <= place)) {
        first = middle + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    return first;
  }

  /// Ranks the items of a tile among those of the same digit, in their order if `InOrder`. Writes the rank and, above 16 bits,
  /// the digit of each; `InOrder`, the rank is the one among the warp's items, and counts[w][d] is the number in warps before w.
  /// Returns the tile's number of items of the digit threadIdx.x. Synchronises.
  /// @param digit_at  computes the digit of a key and its number in the tile, below `digits`
  template <bool InOrder, class Digit>
  __device__ static std::uint32_t rank(K const (&key)[items], unsigned count, unsigned digits, Digit digit_at,
                                       std::uint32_t (&ranked)[items]) {
    storage& s = shared();
    auto* const words = reinterpret_cast<uint4*>(s.counts);
    unsigned const per_word = InOrder ? 8 : 4, num_counts = InOrder ? warps * digits : digits;
    auto* const counts = reinterpret_cast<std::uint16_t*>(s.counts) + threadIdx.x / warp_threads * digits;
    auto* const block_counts = reinterpret_cast<std::uint32_t*>(s.counts);
    for (unsigned w = threadIdx.x; w < num_counts / per_word; w += threads) words[w] = {0, 0, 0, 0};
    team::sync();
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      unsigned const at = first_of_lane() + i * warp_threads;
      bool const there = at < count;
      unsigned const digit = there ? digit_at(key[i], at) : 0;
      if constexpr (InOrder) {
        unsigned const alike = lanes_alike<bucket_bits>(digit, __ballot_sync(all_lanes, there));
        unsigned const below = __popc(alike & lanes_below());
        std::uint32_t const before = counts[digit];
        __syncwarp();
        if (there && below == 0) counts[digit] = std::uint16_t(before + __popc(alike));
        __syncwarp();
        ranked[i] = digit << 16 | (before + below);
      } else {
        ranked[i] = digit << 16 | (there ? atomicAdd(&block_counts[digit], 1u) : 0);
      }
    }
    team::sync();
    std::uint32_t sum = 0;
    if (threadIdx.x < digits) {
      if constexpr (InOrder) {
        auto* const column = reinterpret_cast<std::uint16_t*>(s.counts) + threadIdx.x;
#pragma unroll 8
        for (unsigned w = 0; w < warps; ++w) {
          std::uint32_t const one = column[w * digits];
          column[w * digits] = std::uint16_t(sum);
          sum += one;
        }
      } else {
        sum = block_counts[threadIdx.x];
      }
    }
    return sum;
  }

  /// Moves a tile's items, which rank() has ranked, to their positions: first into shared memory, in the order of their digits.
  /// @param own    what rank() returned
  /// @param place  the position of the tile's first item of digit threadIdx.x
  template <bool InOrder>
  __device__ static void move(array const& from, std::uint32_t begin, unsigned count, unsigned digits, K const (&key)[items],
                              std::uint32_t const (&ranked)[items], std::uint32_t own, std::uint32_t place, K* to_keys,
                              V* to_values) {
    storage& s = shared();
    auto const* const before = reinterpret_cast<std::uint16_t const*>(s.counts) + threadIdx.x / warp_threads * digits;
    auto* const staged_values = reinterpret_cast<V*>(s.values);
    std::uint32_t const local = team::exclusive_sum(own, s.collective);
    s.local[threadIdx.x] = local;
    s.offsets[threadIdx.x] = place - local;
    team::sync();
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      unsigned const at = first_of_lane() + i * warp_threads;
      if (at >= count) continue;
      unsigned const digit = ranked[i] >> 16;
      unsigned to = s.local[digit] + (ranked[i] & 0xffff);
      if constexpr (InOrder) to += before[digit];
      s.keys[to] = key[i];
      s.bucket_of[to] = std::uint16_t(digit);
      if constexpr (value_bytes<V> != 0) staged_values[to] = from.values[begin + at];
    }
    team::sync();
    for (unsigned p = threadIdx.x; p < count; p += threads) {
      std::uint32_t const to = s.offsets[s.bucket_of[p]] + p;
      to_keys[to] = s.keys[p];
      if constexpr (value_bytes<V> != 0) to_values[to] = staged_values[p];
    }
    team::sync();
  }

  /// Replaces the counts of the blocks' items of each bucket by the number of those in earlier blocks, and computes their
  /// total. A warp sums one bucket at a time.
  __device__ static void sum_over_blocks(grid_work<K, V> const& work) {
    unsigned const blocks = gridDim.x;
    for (unsigned b = blockIdx.x + threadIdx.x / warp_threads * blocks; b < work.buckets; b += warps * blocks) {
      std::uint32_t sum = 0;
#pragma unroll 4
      for (unsigned row = 0; row < blocks; row += warp_threads) {
        std::uint32_t* const at = work.counts + std::size_t(row + lane_id()) * work.buckets + b;
        std::uint32_t const count = row + lane_id() < blocks ? *at : 0, inclusive = warp_inclusive_sum(count);
        if (row + lane_id() < blocks) *at = sum + inclusive - count;
        sum += __shfl_sync(all_lanes, inclusive, warp_threads - 1);
      }
      if (lane_id() == 0) work.totals[b] = sum;
    }
  }

  /// Distributes the items to buckets, in data.away_codes and data.away_values. Then begins()[b] is where bucket b begins.
  __device__ static void distribute(data_type const& data, grid_work<K, V> const& work) {
    storage& s = shared();
    auto const everyone = cooperative_groups::this_grid();
    array const from{work.keys, work.values, data.keys.code};
    unsigned const share = (work.n + gridDim.x - 1) / gridDim.x, buckets = work.buckets;
    std::uint32_t const begin = min(blockIdx.x * share, work.n), end = min(begin + share, work.n);
    K key[items];
    std::uint32_t ranked[items], own = 0, counted = 0;
    load(from, begin, min(end - begin, tile), key);  // arrives while splitters are chosen
    cell_map const cell_of = choose_splitters(from, work.n, buckets);
    auto const rank_at = [&](std::uint32_t first) {
      return rank<stable>(
          key, min(end - first, tile), buckets, [&](K k, unsigned at) { return bucket_of(k, first + at, cell_of); }, ranked);
    };
    for (std::uint32_t first = begin; first < end; first += tile) {
      if (first != begin) load(from, first, min(end - first, tile), key);
      own = rank_at(first);
      counted += own;
      if (end - first > tile) team::sync();
    }
    if (threadIdx.x < buckets) work.counts[blockIdx.x * buckets + threadIdx.x] = counted;
    everyone.sync();
    sum_over_blocks(work);
    everyone.sync();
    std::uint32_t total = 0, place = 0;
    if (threadIdx.x < buckets) {
      total = work.totals[threadIdx.x];
      place = work.counts[blockIdx.x * buckets + threadIdx.x];
    }
    std::uint32_t const bucket_begin = team::exclusive_sum(total, s.collective);
    place += bucket_begin;
    begins()[threadIdx.x] = bucket_begin;
    if (threadIdx.x == 0) begins()[sizes::max_buckets] = work.n;
    team::sync();
    for (std::uint32_t first = begin; first < end; first += tile) {
      unsigned const count = min(end - first, tile);
      if (end - begin > tile) {
        load(from, first, count, key);
        own = rank_at(first);
      }
      move<stable>(from, first, count, buckets, key, ranked, own, place, data.away_codes, data.away_values);
      place += own;
    }
    everyone.sync();
  }

  /// Sorts the buckets that begin in this block's share.
  __device__ static void sort_buckets(data_type const& data, std::uint32_t n, unsigned buckets) {
    std::uint32_t const* const begin = begins();
    auto const first_from = [&](std::uint32_t position) {  // the first bucket that begins there or later
      unsigned first = 0, last = buckets;
      while (first < last) {
        unsigned const middle = (first + last) / 2;
        if (begin[middle] < position)
          first = middle + 1;
        else
          last = middle;
      }
      return first;
    };
    unsigned b = blockIdx.x == 0 ? 0 : first_from(std::uint32_t(std::uint64_t(blockIdx.x) * n / gridDim.x));
    unsigned const last =
        blockIdx.x + 1 == gridDim.x ? buckets : first_from(std::uint32_t(std::uint64_t(blockIdx.x + 1) * n / gridDim.x));
    while (b < last) {
      std::uint32_t const from = begin[b++];
      while (b < last && begin[b + 1] - from <= capacity) ++b;
      std::uint32_t const length = begin[b] - from;
      if (length == 0) continue;
      segment_record const segment{from, length, copy::away};
      if (length <= sizes::by_block::capacity)
        sizes::by_block::sort(data, segment);
      else if (length <= capacity)
        sizes::by_large_block::sort(data, segment);
      else
        sort_long(data, from, length);
    }
  }

  /// Sorts a bucket that does not fit in a block, by an LSD radix sort through device memory. A sample leaves such buckets very
  /// seldom.
  __device__ __noinline__ static void sort_long(data_type const& data, std::uint32_t begin, std::uint32_t length) {
    storage& s = shared();
    K differing = 0;
    for (std::uint32_t i = threadIdx.x; i < length; i += threads)
      differing |= data.away_codes[begin + i] ^ data.away_codes[begin];
    differing = team::reduce_or(differing, s.collective);
    bool away = true;
    constexpr unsigned digits = 256;
    while (differing != 0) {
      unsigned const shift = trailing_zeros(differing);
      auto const digit_at = [=](K key, unsigned) { return unsigned(key >> shift) % digits; };
      array const from{away ? data.away_codes : data.keys.keys, away ? data.away_values : data.values, {}};
      K key[items];
      std::uint32_t ranked[items], total = 0;
      for (std::uint32_t first = 0; first < length; first += tile) {
        unsigned const count = min(length - first, tile);
        load(from, begin + first, count, key);
        total += rank<true>(key, count, digits, digit_at, ranked);
        team::sync();
      }
      std::uint32_t place = begin + team::exclusive_sum(total, s.collective);
      team::sync();
      for (std::uint32_t first = 0; first < length; first += tile) {
        unsigned const count = min(length - first, tile);
        load(from, begin + first, count, key);
        std::uint32_t const own = rank<true>(key, count, digits, digit_at, ranked);
        move<true>(from, begin + first, count, digits, key, ranked, own, place, away ? data.keys.keys : data.away_codes,
                   away ? data.values : data.away_values);
        place += own;
      }
      differing = K(differing >> shift >> 8) << shift << 8;
      away = !away;
    }
    for (std::uint32_t i = begin + threadIdx.x; i < begin + length; i += threads) {
      data.keys.store(i, away ? data.away_codes[i] : data.keys.keys[i]);
      if constexpr (value_bytes<V> != 0)
        if (away) data.values[i] = data.away_values[i];
    }
    team::sync();
  }
};

/// Sorts work.n items into data.keys and data.values, which may be the arrays of `work`. All blocks run at once.
template <class K, class V>
__global__ void __launch_bounds__(grid_sizes<K, V>::threads, 1)
    sort_in_grid(segment_data<K, V, stored_keys<K>> data, grid_work<K, V> work) {
  wait_for_previous();
  using sorter = grid_sorter<K, V>;
  sorter::distribute(data, work);
  sorter::sort_buckets(data, work.n, work.buckets);
}

}  // namespace ordo::inline v0::cuda_detail
