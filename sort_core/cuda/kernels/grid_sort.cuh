#pragma once
#include <cstddef>
#include <cstdint>

#include <cooperative_groups.h>

#include "base/bits.hpp"
#include "sort_core/cuda/kernels/block_sort.cuh"
#include "sort_core/cuda/primitives/merging.cuh"
#include "sort_core/cuda/primitives/sample_places.hpp"
#include "sort_core/cuda/primitives/sampled_item.cuh"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"
#include "sort_core/cuda/runtime/launch.cuh"
#include "sort_core/cuda/tuning/radix.hpp"
#include "sort_core/cuda/tuning/segmented.cuh"

// The sort of one array that is too large for a block, in one launch: a sample sort (Leischner et al., IPDPS'10) whose blocks
// all run at once. Together they sort a sample, by counting, and take splitters from it. Each block ranks its share of the
// items by bucket; sums over the blocks give the position of each bucket's items; and the blocks exchange them through the L2
// cache. Then each block sorts the buckets that begin in its share of the result, as many at a time as it holds.
//
// Items are compared by (key, position), so that equal keys spread over buckets as evenly as others, whatever their number. A
// bucket between equal splitters is in order at once. Launches and barriers are most of the time of a small sort: a grid's
// barrier takes 1.2 microseconds on an H200.
namespace ordo::inline v0::cuda_detail {

/// A key alone.
template <class K>
struct single_key {
  K key;
  single_key() = default;
  __device__ single_key(K k, std::uint32_t) : key(k) {}
  [[nodiscard]] __device__ K code() const { return key; }
  [[nodiscard]] __device__ std::uint32_t position() const { return 0; }
  [[nodiscard]] __device__ bool precedes(single_key other) const { return key < other.key; }
};

/// The sizes of a sort of one array in one launch.
template <class K, class V>
struct grid_sizes {
  static constexpr unsigned threads = 1024, warps = threads / warp_threads;
  static constexpr unsigned max_buckets = threads, max_sample = 4 * threads, cells = threads, digits = 256;
  /// The items that a block distributes at a time.
  static constexpr unsigned items = tuning::grid_items(sizeof(K), value_bytes<V>), tile = threads * items;
  static_assert(tile <= 1u << 16);
  /// Items with values keep the order of equal keys.
  static constexpr bool stable = value_bytes<V> != 0;
  using team = group<threads>;
  using by_block = block_sort<K, threads, tuning::few_short_items>;
  using by_large_block = block_sort<K, threads, tuning::class_shape<sizeof(K), value_bytes<V>>(tuning::few_class).items>;
  static_assert(tuning::class_shape<sizeof(K), value_bytes<V>>(tuning::few_class).threads == threads);
  static constexpr unsigned capacity = by_large_block::capacity;
  /// The items of a thread in a sort by a network, and the maximum of items that a block sorts so: none of 64-bit keys with
  /// values, whose items need too many registers.
  static constexpr unsigned compared_items = 4, compared = stable && sizeof(K) > 4 ? 0 : threads * compared_items;
  /// The sort of dense keys without values, by merging. With values, whose positions need registers, a network is faster.
  using by_merging = merging<carrier<K, no_value>, threads, 9>;
  /// The maximum of items that a block sorts at once if their keys are dense.
  static constexpr unsigned dense_capacity = stable ? compared : std::min(by_merging::capacity, capacity);

  struct storage {
    alignas(16) std::uint16_t counts[warps][stable ? max_buckets : digits];  // counts of each warp, or words of the block
    std::uint32_t local[max_buckets], offsets[max_buckets], cells[grid_sizes::cells];
    sampled_item<K> splitters[max_buckets];
    typename team::template storage<K> collective;
    extremes<K> ends;  // the sample's smallest and greatest code
    std::uint16_t buckets[tile];
    alignas(16) K keys[tile];  // or, in a sort by comparisons, items
    alignas(16) unsigned char values[value_bytes<V> == 0 ? 16 : tile * value_bytes<V>];
  };
  static_assert(sizeof(storage::counts) >= max_buckets * sizeof(std::uint32_t));

  /// The position of each bucket, which the sorts of buckets do not overwrite. The upper bit is set if all its keys are equal.
  struct bucket_list {
    std::uint32_t begins[max_buckets + 1];
    K codes[max_buckets + 1];  // bounds of the keys of buckets
    typename team::template storage<std::uint32_t> collective;
    typename team::template storage<K> wide;
  };
  static constexpr std::size_t list_at =
      (std::max({sizeof(storage), by_block::bytes(value_bytes<V>), by_large_block::bytes(value_bytes<V>)}) + 15) / 16 * 16;
  static constexpr std::size_t shared_bytes = list_at + sizeof(bucket_list);

  static bool possible() { return shared_bytes <= shared_memory_limit(); }
};

/// The input, in the caller's arrays, and device memory for the exchange.
template <class K, class V>
struct grid_work {
  K const* keys;
  V const* values;
  std::uint32_t n;
  std::uint32_t sampled;  // 1, 2 or 4 times grid_sizes::threads, with as many blocks at least
  std::uint32_t buckets;  // a power of two from 64 to grid_sizes::max_buckets
  sampled_item<K>* sample;
  std::uint32_t* counts;  // each block's items by bucket: gridDim.x rows of `buckets`
  std::uint32_t* totals;  // all items by bucket
};

template <class K, class V>
struct grid_sorter : grid_sizes<K, V> {
  using sizes = grid_sizes<K, V>;
  using sizes::threads, sizes::warps, sizes::items, sizes::tile, sizes::capacity, sizes::stable, sizes::digits;
  using typename sizes::storage, typename sizes::bucket_list, typename sizes::team;
  using data_type = segment_data<K, V, stored_keys<K>>;
  static constexpr std::uint32_t all_equal = 1u << 31;
  static constexpr unsigned few = sizes::compared / 4, long_run = 2048;

  [[nodiscard]] __device__ static storage& shared() { return *reinterpret_cast<storage*>(dynamic_shared_memory()); }
  [[nodiscard]] __device__ static bucket_list& list() {
    return *reinterpret_cast<bucket_list*>(dynamic_shared_memory() + sizes::list_at);
  }

  /// The items that a thread has of `count` consecutive ones. A warp's are consecutive, 32 at a time.
  struct own_items {
    unsigned first, count, rows;
    __device__ explicit own_items(unsigned n) : count(n), rows((n + threads - 1) / threads) {
      first = threadIdx.x / warp_threads * (rows * warp_threads) + lane_id();
    }
    [[nodiscard]] __device__ unsigned at(unsigned i) const { return first + i * warp_threads; }
    [[nodiscard]] __device__ bool has(unsigned i) const { return i < rows && at(i) < count; }
  };

  /// Items in device memory.
  struct array {
    K const* keys;
    V const* values;
    key_code<K> code;
  };
  __device__ static void load(array const& from, std::uint32_t begin, own_items const& own, K (&key)[items]) {
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (own.has(i)) key[i] = from.keys[begin + own.at(i)];
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (own.has(i)) key[i] = from.code.encode(key[i]);
  }

  /// Divides the range of the sample into cells. Keys outside are in the first and the last.
  struct cell_map {
    K smallest;
    unsigned shift;
    __device__ explicit cell_map(extremes<K> ends) : smallest(ends.smallest) {
      constexpr unsigned bits = 10;
      static_assert(sizes::cells == 1u << bits);
      unsigned const width = 64 - leading_zeros(std::uint64_t(ends.greatest - ends.smallest));
      shift = width > bits ? width - bits : 0;
    }
    [[nodiscard]] __device__ unsigned operator()(K key) const {
      return key <= smallest ? 0 : unsigned(min(K(K(key - smallest) >> shift), K(sizes::cells - 1)));
    }
  };

  /// Sorts a sample and chooses splitters from it. A block computes the ranks of a part of it. Makes a table of cells: how many
  /// splitters are below each cell and, above 16 bits, how many in it.
  __device__ static cell_map choose_splitters(array const& from, grid_work<K, V> const& work) {
    storage& s = shared();
    constexpr unsigned most = sizes::max_sample / threads;
    unsigned const t = threadIdx.x, stride = work.n / work.sampled, rows = work.sampled / threads;
    unsigned const share = (work.sampled + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
    sampled_item<K> item[most];
#pragma unroll
    for (unsigned j = 0; j < most; ++j) {
      unsigned const i = j * threads + t, place = i * stride + unsigned(place_in_stride(i, stride));
      if (j < rows) item[j] = {from.keys[place], place};
    }
#pragma unroll
    for (unsigned j = 0; j < most; ++j) {
      if (j >= rows) continue;
      item[j].encode(from.code);
      unsigned const own = j * threads + t - first;
      if (own < share) s.splitters[own] = item[j];
    }
    s.cells[t] = 0;
    team::sync();
    unsigned const count = first < work.sampled ? min(share, work.sampled - first) : 0;
#pragma unroll 4
    for (unsigned own = 0; own < count; ++own) {
      sampled_item<K> const ranked = s.splitters[own];
      unsigned preceding = 0;
#pragma unroll
      for (unsigned j = 0; j < most; ++j)
        if (j < rows) preceding += item[j].precedes(ranked) ? 1 : 0;
      preceding = __reduce_add_sync(all_lanes, preceding);
      if (lane_id() == 0) atomicAdd(&s.cells[own], preceding);
    }
    team::sync();
    if (t < count) work.sample[s.cells[t]] = s.splitters[t];
    cooperative_groups::this_grid().sync();
    unsigned const every = work.sampled / work.buckets;
    if (t + 1 < work.buckets) s.splitters[t] = work.sample[(t + 1) * every];
    if (t == 0) s.ends = {work.sample[0].code(), work.sample[work.sampled - 1].code()};
    s.cells[t] = 0;
    team::sync();
    cell_map const to_cell(s.ends);
    if (t + 1 < work.buckets) atomicAdd(&s.cells[to_cell(s.splitters[t].code())], 1u);
    team::sync();
    std::uint32_t const in_cell = s.cells[t];
    s.cells[t] = team::exclusive_sum(in_cell, s.collective) | in_cell << 16;
    team::sync();
    return to_cell;
  }

  /// Returns the bucket of an item: the number of splitters that precede it.
  [[nodiscard]] __device__ static unsigned find_bucket(K key, std::uint32_t place, cell_map const& to_cell) {
    storage const& s = shared();
    std::uint32_t const cell = s.cells[to_cell(key)];
    sampled_item<K> const item{key, place};
    unsigned first = cell & 0xffff, left = cell >> 16;
    while (left != 0) {
      unsigned const half = left / 2;
      bool const precedes = !item.precedes(s.splitters[first + half]);
      first += precedes ? half + 1 : 0;
      left = precedes ? left - half - 1 : half;
    }
    return first;
  }

  /// Ranks items among those of the same digit, which has Bits bits and is below `count_of_digits`. Writes the rank and, above
  /// 16 bits, the digit of each. If `InOrder`, equal digits keep their order, the rank is that among the warp's items, and
  /// counts has the number of items in earlier warps. Returns the number of items of the digit threadIdx.x. Synchronises.
  template <bool InOrder, unsigned Bits, class Digit>
  __device__ static std::uint32_t rank(K const (&key)[items], own_items const& own, unsigned count_of_digits, Digit digit_at,
                                       std::uint32_t (&ranked)[items]) {
    storage& s = shared();
    auto* const words = reinterpret_cast<uint4*>(s.counts);
    auto* const counts = reinterpret_cast<std::uint16_t*>(s.counts);
    auto* const of_warp = counts + threadIdx.x / warp_threads * count_of_digits;
    auto* const of_block = reinterpret_cast<std::uint32_t*>(s.counts);
    unsigned const num_words = InOrder ? warps * count_of_digits / 8 : count_of_digits / 4;
    for (unsigned w = threadIdx.x; w < num_words; w += threads) words[w] = {0, 0, 0, 0};
    team::sync();
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      if (i >= own.rows) break;
      bool const there = own.at(i) < own.count;
      unsigned const digit = there ? digit_at(key[i], own.at(i)) : 0;
      if constexpr (InOrder) {
        unsigned const alike = lanes_alike<Bits>(digit, __ballot_sync(all_lanes, there));
        unsigned const below = __popc(alike & lanes_below());
        std::uint32_t const before = of_warp[digit];
        __syncwarp();
        if (there && below == 0) of_warp[digit] = std::uint16_t(before + __popc(alike));
        __syncwarp();
        ranked[i] = digit << 16 | (before + below);
      } else {
        ranked[i] = digit << 16 | (there ? atomicAdd(&of_block[digit], 1u) : 0);
      }
    }
    team::sync();
    std::uint32_t sum = 0;
    if (threadIdx.x < count_of_digits) {
      if constexpr (InOrder) {
        constexpr unsigned at_once = 8;  // loaded before any is stored
#pragma unroll 1
        for (unsigned first = 0; first < warps; first += at_once) {
          std::uint16_t* const column = counts + first * count_of_digits + threadIdx.x;
          std::uint32_t some[at_once];
#pragma unroll
          for (unsigned w = 0; w < at_once; ++w) some[w] = column[w * count_of_digits];
#pragma unroll
          for (unsigned w = 0; w < at_once; ++w) {
            column[w * count_of_digits] = std::uint16_t(sum);
            sum += some[w];
          }
        }
      } else {
        sum = of_block[threadIdx.x];
      }
    }
    return sum;
  }

  /// Moves ranked items from one array to another: first into shared memory, in the order of their digits.
  /// @param of_digit  what rank() returned
  /// @param begin     the position of the first of these items
  /// @param position  the position to which the first item of digit threadIdx.x moves
  template <bool InOrder>
  __device__ static void move(array const& from, std::uint32_t begin, own_items const& own, unsigned count_of_digits,
                              K const (&key)[items], std::uint32_t const (&ranked)[items], std::uint32_t of_digit,
                              std::uint32_t position, K* to_keys, V* to_values) {
    storage& s = shared();
    auto const* const before = reinterpret_cast<std::uint16_t const*>(s.counts) + threadIdx.x / warp_threads * count_of_digits;
    auto* const values = reinterpret_cast<V*>(s.values);
    std::uint32_t const local = team::exclusive_sum(of_digit, s.collective);
    s.local[threadIdx.x] = local;
    s.offsets[threadIdx.x] = position - local;
    team::sync();
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      if (i >= own.rows) break;
      if (own.at(i) >= own.count) continue;
      unsigned const digit = ranked[i] >> 16;
      unsigned to = s.local[digit] + (ranked[i] & 0xffff);
      if constexpr (InOrder) to += before[digit];
      s.keys[to] = key[i];
      s.buckets[to] = std::uint16_t(digit);
      if constexpr (value_bytes<V> != 0) values[to] = from.values[begin + own.at(i)];
    }
    team::sync();
    for (unsigned p = threadIdx.x; p < own.count; p += threads) {
      std::uint32_t const to = s.offsets[s.buckets[p]] + p;
      to_keys[to] = s.keys[p];
      if constexpr (value_bytes<V> != 0) to_values[to] = values[p];
    }
    team::sync();
  }

  /// Replaces the counts of the blocks' items of each bucket by the number of those in earlier blocks, and computes their
  /// total. A block sums eight buckets at a time, whose counts share a sector.
  __device__ static void sum_over_blocks(grid_work<K, V> const& work) {
    storage& s = shared();
    constexpr unsigned at_once = sector / sizeof(std::uint32_t);
    unsigned const blocks = gridDim.x;
    auto* const counts = reinterpret_cast<std::uint32_t*>(s.keys);  // at_once rows of gridDim.x
    for (unsigned first = blockIdx.x * at_once; first < work.buckets; first += blocks * at_once) {
      auto const address = [&](unsigned i) {
        return work.counts + std::size_t(i / at_once) * work.buckets + first + i % at_once;
      };
      auto const local = [&](unsigned i) -> std::uint32_t& { return counts[i % at_once * blocks + i / at_once]; };
      for (unsigned i = threadIdx.x; i < blocks * at_once; i += threads) local(i) = *address(i);
      team::sync();
      if (threadIdx.x / warp_threads < at_once) {
        std::uint32_t* const row = counts + threadIdx.x / warp_threads * blocks;
        std::uint32_t sum = 0;
        for (unsigned from = 0; from < blocks; from += warp_threads) {
          std::uint32_t const count = from + lane_id() < blocks ? row[from + lane_id()] : 0, all = warp_inclusive_sum(count);
          if (from + lane_id() < blocks) row[from + lane_id()] = sum + all - count;
          sum += __shfl_sync(all_lanes, all, warp_threads - 1);
        }
        if (lane_id() == 0) work.totals[first + threadIdx.x / warp_threads] = sum;
      }
      team::sync();
      for (unsigned i = threadIdx.x; i < blocks * at_once; i += threads) *address(i) = local(i);
      team::sync();
    }
  }

  /// Distributes the items to buckets, in data.away_codes and data.away_values.
  __device__ static void distribute(data_type const& data, grid_work<K, V> const& work) {
    storage& s = shared();
    auto const everyone = cooperative_groups::this_grid();
    array const from{work.keys, work.values, data.keys.code};
    unsigned const share = (work.n + gridDim.x - 1) / gridDim.x, buckets = work.buckets;
    std::uint32_t const begin = min(blockIdx.x * share, work.n), end = min(begin + share, work.n);
    K key[items];
    std::uint32_t ranked[items], of_bucket = 0, counted = 0;
    load(from, begin, own_items(min(end - begin, tile)), key);  // arrives while splitters are chosen
    cell_map const to_cell = choose_splitters(from, work);
    auto const rank_at = [&](std::uint32_t first, own_items const& own) {
      return rank<stable, 10>(
          key, own, buckets, [&](K k, unsigned at) { return find_bucket(k, first + at, to_cell); }, ranked);
    };
    for (std::uint32_t first = begin; first < end; first += tile) {
      own_items const own(min(end - first, tile));
      if (first != begin) load(from, first, own, key);
      of_bucket = rank_at(first, own);
      counted += of_bucket;
      if (end - begin > tile) team::sync();
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
    bool const is_equal = threadIdx.x != 0 && threadIdx.x + 1 < buckets &&
                          s.splitters[threadIdx.x - 1].code() == s.splitters[threadIdx.x].code();
    place += bucket_begin;
    list().begins[threadIdx.x] = bucket_begin | (is_equal ? all_equal : 0);
    list().codes[threadIdx.x + 1] = threadIdx.x + 1 < buckets ? s.splitters[threadIdx.x].code() : s.ends.greatest;
    if (threadIdx.x == 0) {
      list().begins[sizes::max_buckets] = work.n;
      list().codes[0] = s.ends.smallest;
    }
    team::sync();
    for (std::uint32_t first = begin; first < end; first += tile) {
      own_items const own(min(end - first, tile));
      if (end - begin > tile) {
        load(from, first, own, key);
        of_bucket = rank_at(first, own);
      }
      move<stable>(from, first, own, buckets, key, ranked, of_bucket, place, data.away_codes, data.away_values);
      place += of_bucket;
    }
    everyone.sync();
  }

  /// Sorts the buckets that begin in this block's share.
  __device__ static void sort_buckets(data_type const& data, std::uint32_t n, unsigned buckets) {
    auto const begin = [](unsigned b) { return list().begins[b] & ~all_equal; };
    auto const is_equal = [](unsigned b) { return (list().begins[b] & all_equal) != 0; };
    unsigned const t = threadIdx.x;
    // Returns the first bucket that begins in the share of a block, or later.
    auto const first_from = [&](unsigned block) {
      auto const position = std::uint32_t(std::uint64_t(block) * n / gridDim.x);
      return team::count(t < buckets && begin(t) < position);
    };
    unsigned b = first_from(blockIdx.x);
    unsigned const last = blockIdx.x + 1 == gridDim.x ? buckets : first_from(blockIdx.x + 1);
    if (blockIdx.x == 0) b = 0;
    while (b < last) {
      // Sorts together as many buckets as the block holds. A long run of equal keys is left out.
      std::uint32_t const from = begin(b);
      bool const dense = is_dense(b, last, from);
      unsigned const limit = dense ? sizes::dense_capacity : capacity;
      bool const exceeds = t > b && t < last && begin(t + 1) - from > limit;
      unsigned const end = find_smallest(exceeds ? t : last);
      auto const end_of_run = [&](unsigned first) {
        while (first < last && is_equal(first)) ++first;
        return first;
      };
      bool const begins_run = t >= b && t < end && is_equal(t) && (t == b || !is_equal(t - 1));
      unsigned const equal = find_smallest(begins_run && begin(end_of_run(t)) - begin(t) >= long_run ? t : end);
      std::uint32_t const length = begin(equal) - from;
      b = equal;
      if (length != 0) {
        if (length <= few || (stable && dense && length <= limit)) {
          if constexpr (sizes::compared != 0) sort_few(data, from, length);
        } else if (!stable && dense && length <= limit) {
          if constexpr (!stable) sort_dense(data, from, length);
        } else if (length <= sizes::by_block::capacity) {
          sizes::by_block::sort(data, {from, length, copy::away});
        } else if (length <= capacity) {
          sizes::by_large_block::sort(data, {from, length, copy::away});
        } else {
          sort_long(data, from, length);
        }
      }
      if (equal == end) continue;
      b = end_of_run(equal);
      store_all(data, true, begin(equal), begin(b) - begin(equal));
    }
  }
  /// Returns the least number of all threads. Synchronises.
  [[nodiscard]] __device__ static unsigned find_smallest(unsigned x) {
    unsigned const smallest = team::reduce(extremes<std::uint32_t>{x, 0}, list().collective).smallest;
    team::sync();
    return smallest;
  }

  /// Returns true if keys are much denser in some buckets than in others, of those that a block sorts together. A sort by
  /// comparisons is then faster. Synchronises.
  [[nodiscard]] __device__ static bool is_dense(unsigned b, unsigned last, std::uint32_t from) {
    if constexpr (sizes::compared == 0) return false;
    bucket_list const& all = list();
    unsigned const t = threadIdx.x;
    auto const begin = [&](unsigned i) { return all.begins[i] & ~all_equal; };
    bool const counts = t >= b && t < last && begin(t + 1) - from <= capacity;
    extremes<K> const own{counts ? all.codes[t] : K(~K{0}), counts ? all.codes[t + 1] : K{0}};
    extremes<K> const ends = team::reduce(own, list().wide);
    float const range = float(K(ends.greatest - ends.smallest)), width = float(K(all.codes[t + 1] - all.codes[t]));
    // The block has four linear buckets an item.
    float const items = float(begin(t + 1) - begin(t)), room = 4 * float(capacity) * width / range;
    return team::any(counts && items > tuning::dense_grid_items && items > tuning::dense_grid_bucket * room);
  }

  /// Sorts up to sizes::dense_capacity keys by merging.
  __device__ static void sort_dense(data_type const& data, std::uint32_t begin, unsigned n) {
    using by_merging = typename sizes::by_merging;
    auto* const all = reinterpret_cast<carrier<K, no_value>*>(shared().keys);
    static_assert(sizes::dense_capacity * sizeof(K) <= sizes::list_at - offsetof(storage, keys));
    for (unsigned p = threadIdx.x; p < n; p += threads) all[p].item = data.away_codes[begin + p];
    team::sync();
    by_merging::sort(all, n, [](K a, K b) { return a < b; });
    for (unsigned p = threadIdx.x; p < n; p += threads) data.keys.store(begin + p, all[p].item);
    team::sync();
  }

  /// Sorts few items by a network.
  __device__ static void sort_few(data_type const& data, std::uint32_t begin, unsigned n) {
    storage& s = shared();
    using item_type = std::conditional_t<stable, sampled_item<K>, single_key<K>>;
    unsigned padded = sizes::compared_items * warp_threads;
    while (padded < n) padded *= 2;
    item_type item[sizes::compared_items];
    unsigned const first = threadIdx.x * sizes::compared_items;
    if (first < padded) {
#pragma unroll
      for (unsigned i = 0; i < sizes::compared_items; ++i) {  // lanes read consecutive items, in whatever order
        unsigned const at = threadIdx.x + i * (padded / sizes::compared_items);
        item[i] = at < n ? item_type{data.away_codes[begin + at], at} : item_type{K(~K{0}), ~0u};
      }
    }
    compare(item, padded);
    if (first < padded) {
#pragma unroll
      for (unsigned i = 0; i < sizes::compared_items; ++i) {
        s.keys[first + i] = item[i].code();
        if constexpr (stable) s.buckets[first + i] = std::uint16_t(item[i].position());
      }
    }
    team::sync();
    for (unsigned p = threadIdx.x; p < n; p += threads) {
      data.keys.store(begin + p, s.keys[p]);
      if constexpr (stable) data.values[begin + p] = data.away_values[begin + s.buckets[p]];
    }
    team::sync();
  }

  /// Sorts `n` items, a power of two from 128 to sizes::compared, by a bitonic network. A thread has consecutive items.
  template <class Item>
  __device__ static void compare(Item (&item)[sizes::compared_items], unsigned n) {
    constexpr unsigned of_warp = warp_threads * sizes::compared_items;
    unsigned const t = threadIdx.x, first = t * sizes::compared_items;
    static_assert(sizes::compared * sizeof(Item) <= sizeof(storage::keys) + sizeof(storage::values));
    auto* const room = reinterpret_cast<Item*>(shared().keys);
#pragma unroll 1
    for (unsigned size = 2; size <= n; size *= 2) {
      auto const keeps_lower = [&](unsigned i, unsigned step) {
        return (size == n || ((first + i) & size) == 0) == (((first + i) & step) == 0);
      };
#pragma unroll 1
      for (unsigned step = size / 2; step >= of_warp; step /= 2) {
        team::sync();
        if (first < n) {
#pragma unroll
          for (unsigned i = 0; i < sizes::compared_items; ++i) room[i * threads + t] = item[i];
        }
        team::sync();
        if (first < n) {
#pragma unroll
          for (unsigned i = 0; i < sizes::compared_items; ++i) {
            Item const other = room[i * threads + (t ^ step / sizes::compared_items)];
            if (other.precedes(item[i]) == keeps_lower(i, step)) item[i] = other;
          }
        }
      }
      if (first >= n) continue;
#pragma unroll 1
      for (unsigned step = min(size, of_warp) / 2; step >= sizes::compared_items; step /= 2) {
#pragma unroll
        for (unsigned i = 0; i < sizes::compared_items; ++i) {
          Item const other = of_other_lane(item[i], step / sizes::compared_items);
          if (other.precedes(item[i]) == keeps_lower(i, step)) item[i] = other;
        }
      }
#pragma unroll
      for (unsigned step = sizes::compared_items / 2; step > 0; step /= 2) {
        if (step >= size) continue;
#pragma unroll
        for (unsigned i = 0; i < sizes::compared_items; ++i) {
          if ((i & step) != 0) continue;
          Item const lower = item[i], upper = item[i + step];
          bool const swaps = upper.precedes(lower) == keeps_lower(i, step);
          item[i] = swaps ? upper : lower;
          item[i + step] = swaps ? lower : upper;
        }
      }
    }
    team::sync();
  }

  /// Stores items that are in order, from the second buffers (`away`) or, as codes, from the caller's arrays.
  __device__ static void store_all(data_type const& data, bool away, std::uint32_t begin, std::uint32_t length) {
    for (std::uint32_t i = begin + threadIdx.x; i < begin + length; i += threads) {
      data.keys.store(i, away ? data.away_codes[i] : data.keys.keys[i]);
      if constexpr (value_bytes<V> != 0)
        if (away) data.values[i] = data.away_values[i];
    }
  }

  /// Sorts a bucket that the block does not hold, by an LSD radix sort through device memory. A sample leaves such buckets very
  /// seldom.
  __device__ __noinline__ static void sort_long(data_type const& data, std::uint32_t begin, std::uint32_t length) {
    storage& s = shared();
    K differing = 0;
    for (std::uint32_t i = threadIdx.x; i < length; i += threads)
      differing |= data.away_codes[begin + i] ^ data.away_codes[begin];
    differing = team::reduce_or(differing, s.collective);
    bool away = true;
    while (differing != 0) {
      unsigned const shift = trailing_zeros(differing);
      auto const digit_at = [=](K key, unsigned) { return unsigned(key >> shift) % digits; };
      array const from{away ? data.away_codes : data.keys.keys, away ? data.away_values : data.values, {}};
      K key[items];
      std::uint32_t ranked[items], total = 0;
      for (std::uint32_t first = 0; first < length; first += tile) {
        own_items const own(min(length - first, tile));
        load(from, begin + first, own, key);
        total += rank<true, 8>(key, own, digits, digit_at, ranked);
        team::sync();
      }
      std::uint32_t place = begin + team::exclusive_sum(total, s.collective);
      team::sync();
      for (std::uint32_t first = 0; first < length; first += tile) {
        own_items const own(min(length - first, tile));
        load(from, begin + first, own, key);
        std::uint32_t const of_digit = rank<true, 8>(key, own, digits, digit_at, ranked);
        move<true>(from, begin + first, own, digits, key, ranked, of_digit, place, away ? data.keys.keys : data.away_codes,
                   away ? data.values : data.away_values);
        place += of_digit;
      }
      differing = K(differing >> shift >> 8) << shift << 8;
      away = !away;
    }
    store_all(data, away, begin, length);
    team::sync();
  }
};

/// Sorts work.n items, at least work.sampled, into data.keys and data.values, which may be the arrays of `work`. All blocks run
/// at once.
template <class K, class V>
__global__ void __launch_bounds__(grid_sizes<K, V>::threads, 1)
    sort_in_grid(segment_data<K, V, stored_keys<K>> data, grid_work<K, V> work) {
  wait_for_previous();
  using sorter = grid_sorter<K, V>;
  sorter::distribute(data, work);
  sorter::sort_buckets(data, work.n, work.buckets);
}

}  // namespace ordo::inline v0::cuda_detail
