#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cooperative_groups.h>

#include "base/bits.hpp"
#include "sort_core/cuda/kernels/partition_lists.cuh"
#include "sort_core/cuda/kernels/partition_scatter.cuh"
#include "sort_core/cuda/kernels/plan.cuh"
#include "sort_core/cuda/tuning/samples.hpp"

// Segments that no block holds. All of them, or those of a range, are partitioned by the highest bits in which their keys
// differ, stably, from one buffer to another. Parts that are still too large are partitioned again by the next bits. All others
// are added to the lists of the classes that blocks sort, in whichever buffer they are. One kernel, whose blocks all run at
// once, does all levels, so that the host need not know how many there are.
//
// A level reads the keys twice, because it must count before it can move. First each tile of items is counted by digit. Then
// prefix sums, over the tiles of a segment and over its digits, give the position for each tile's items of each digit. Last,
// each tile moves its items there; tiles run in any order. Tiles are summed in chunks first, so that the sums of one huge
// segment are short.
namespace ordo::inline v0::cuda_detail {

/// Returns the class of a bucket of a sample sort, tuning::classes if no block holds it.
template <std::size_t ItemBytes, std::size_t ValueBytes>
[[nodiscard]] __device__ unsigned leaf_class(std::uint64_t length) {
  unsigned c = 0;
#pragma unroll
  for (unsigned k = 0; k < tuning::leaf_classes; ++k) c += length > tuning::leaf_shape<ItemBytes, ValueBytes>(k).capacity();
  return c < tuning::leaf_classes ? c : tuning::classes;
}

/// Returns the class of a segment of `length` items, tuning::classes if no block holds it.
template <class K, class V, class Keys>
[[nodiscard]] __device__ unsigned class_in(std::uint64_t length, plan_lists const& lists) {
  if constexpr (Keys::sampled)
    return leaf_class<sizeof(K), value_bytes<V>>(length);
  else
    return length_class<sizeof(K), value_bytes<V>>(length, lists);
}

/// The phases of a level.
template <class K, class V, class Keys, bool Large>
struct partitioner : partition_mover<K, V, Keys, Large> {
  using mover = partition_mover<K, V, Keys, Large>;
  using data_type = segment_data<K, V, Keys>;
  using mover::sampled, mover::any_order, mover::digit_groups;
  using mover::shared, mover::keys_at, mover::code_for;
  using mover::threads, mover::items, mover::tile, mover::warps;

  /// Makes the first level's list: the large segments, or pieces of these, that begin in a range.
  __device__ static void begin(data_type const& data, partition_work const& work, plan_lists const& lists,
                               partition_range const& range) {
    if (range.renew) {
      if (blockIdx.x == 0 && threadIdx.x < tuning::classes) *lists.listed[threadIdx.x].count = 0;
      if (blockIdx.x == 0 && threadIdx.x < 3) work.counts[threadIdx.x] = {};
      cooperative_groups::this_grid().sync();
    }
    std::uint64_t const given = *lists.longer_count;
    // A few segments are distributed over all blocks, because the keys that each thread reads lie far apart.
    for (std::uint64_t s = std::uint64_t(threadIdx.x) * gridDim.x + blockIdx.x; s < given;
         s += std::uint64_t(gridDim.x) * threads) {
      large_segment const all = lists.longer[s];
      std::uint64_t at = all.begin >= range.first ? 0 : (range.first - all.begin + range.piece - 1) / range.piece * range.piece;
      for (; at < all.length && all.begin + at < range.last; at += range.piece) {
        partition p{};
        p.begin = all.begin + at;
        p.length = min(all.length - at, range.piece);
        p.bits = data.keys.bits();
        p.from = copy::given;
        if constexpr (!Keys::computed && !Keys::sampled) look_at_some(data, range, p);
        unsigned const c = class_in<K, V, Keys>(p.length, lists);
        if (c == tuning::classes)
          append<tile>(work, 0, p);
        else  // the rest of a segment that was divided
          lists.listed[c].set(atomicAdd(lists.listed[c].count, 1ull), {p.begin, std::uint32_t(p.length), p.from});
      }
    }
  }

  /// Samples keys from all over a partition. The bits in which they differ are those in which its keys probably differ;
  /// counting verifies it. If the samples' numbers span at least a quarter of all numbers, the digit is taken from numbers.
  /// Otherwise these say little about this partition, because its values differ from those of the rest.
  __device__ static void look_at_some(data_type const& data, partition_range const& range, partition& p) {
    constexpr unsigned looked_at = 16;
    K code[looked_at], differing = 0;
#pragma unroll
    for (unsigned i = 0; i < looked_at; ++i)
      code[i] = data.keys.code.encode(data.keys.keys[p.begin + (2 * i + 1) * p.length / (2 * looked_at)]);
    bool turned = false;
#pragma unroll
    for (unsigned i = 1; i < looked_at; ++i) {
      differing |= code[i] ^ code[0];
      turned |= code[i] < code[i - 1];
    }
    p.ordered = !turned && !data.heads;  // heads are written by the kernels that sort
    unsigned const width = 64 - leading_zeros(std::uint64_t(differing));
    if (p.length <= range.longest_numbered && range.numbers->wanted()) {
      std::uint32_t smallest = ~0u, greatest = 0;
#pragma unroll
      for (unsigned i = 0; i < looked_at; ++i) {
        std::uint32_t const number = (*range.numbers)(code[i], data.keys.code);
        smallest = min(smallest, number);
        greatest = max(greatest, number);
      }
      if (greatest - smallest >= 1u << 30) p.numbers = *range.numbers;
      p.rotation = float_numbers::choose_rotation(data.keys.code);
    }
    if (!p.numbers.wanted()) p.bits = min(p.bits, width);
  }

  /// Writes the owner of each of a list's tiles and chunks.
  __device__ static void assign(partition_work const& work, unsigned list) {
    for (std::uint64_t s = blockIdx.x; s < work.counts[list].partitions; s += gridDim.x) {
      partition const p = work.lists[list][s];
      std::uint64_t const tiles = (p.length + tile - 1) / tile;
      for (std::uint64_t t = threadIdx.x; t < tiles; t += threads) {
        work.owners[list % 2][p.first_tile + t] = std::uint32_t(s);
        if (t % work.chunk_tiles == 0) work.chunk_owners[p.first_chunk + t / work.chunk_tiles] = std::uint32_t(s);
      }
    }
  }

  static constexpr unsigned largest_divisor(unsigned of, unsigned max_divisor) {
    while (of % max_divisor != 0) --max_divisor;
    return max_divisor;
  }

  /// Returns true if a key, of this thread's in tile [first, first + n), is less than an earlier key of the partition.
  template <class Code>
  [[nodiscard]] __device__ static bool any_turned(K const* keys, Code code, std::uint64_t begin, std::uint64_t first,
                                                  unsigned n) {
    bool turned = false;
    for (std::uint64_t i = first + threadIdx.x; i < first + n; i += threads)
      if (i != begin) turned |= code.encode(keys[i]) < code.encode(keys[i - 1]);
    return turned;
  }

  /// Counts the digits of the tiles, chunk by chunk, and finds the bits in which keys differ. Computed keys are evaluated here,
  /// once, and are in memory from then on. `counts` is two rows, used for tiles in turn.
  __device__ static void count(data_type const& data, partition_work const& work, unsigned list,
                               std::uint32_t (*counts)[digit_values]) {
    if (threadIdx.x < digit_values) counts[0][threadIdx.x] = counts[1][threadIdx.x] = 0;
    __syncthreads();
    count_chunks<tile, any_order>(work, list, counts, [&](partition& owner, partition const& p, auto each_tile) {
      typename mover::map const digit_map(data.keys, p);
      bool const evaluate = Keys::computed && p.from == copy::given;
      K const* const keys = keys_at(data, p.from);
      key_code<K> const code = code_for(data, p.from);
      K differing = 0;
      K const one = evaluate ? data.keys.encode(*data.keys.address(p.begin)) : code.encode(keys[p.begin]);
      bool const volatile* const still_ordered = &owner.ordered;  // another block may clear it
      each_tile([&](std::uint64_t first, unsigned n, std::uint32_t* count) {
        if (p.ordered && *still_ordered && any_turned(keys, code, p.begin, first, n)) owner.ordered = false;
        unsigned const own_count = (n + (threads - 1 - threadIdx.x)) / threads;
        std::uint64_t const begin = first + threadIdx.x;
        auto const count_key = [&](K key) {
          atomicAdd(&count[digit_map(key)], 1u);
          differing |= key ^ one;
        };
        // Many blocks with few outstanding loads each.
        auto const each = [&](auto const* source, auto use) {
          using item_type = std::remove_cvref_t<decltype(*source)>;
          constexpr unsigned max_batch = sizeof(item_type) > 8 ? 4 : sizeof(item_type) > 4 ? 5 : 9;
          constexpr unsigned batch = largest_divisor(items, max_batch);
          if (n == tile) {
#pragma unroll 1
            for (unsigned i = 0; i < items; i += batch) {
              item_type item[batch];
#pragma unroll
              for (unsigned j = 0; j < batch; ++j) item[j] = source[(i + j) * threads];
#pragma unroll
              for (unsigned j = 0; j < batch; ++j) use(i + j, item[j]);
            }
          } else {
#pragma unroll 1
            for (unsigned i = 0; i < own_count; ++i) use(i, source[i * threads]);
          }
        };
        if (evaluate)
          each(data.keys.address(begin), [&](unsigned i, auto const& item) {
            K const key = data.keys.encode(item);
            count_key(key);
            data.home_codes[begin + i * threads] = key;
          });
        else if (code.identity())
          each(keys + begin, [&](unsigned, K key) { count_key(key); });
        else
          each(keys + begin, [&](unsigned, K key) { count_key(code.encode(key)); });
      });
      differing = warp_or(differing);
      if (lane_id() == 0 && differing != 0) atomicOr(&owner.differing, static_cast<unsigned long long>(differing));
    });
  }

  /// Replaces the items in each chunk by the items in the chunks before it, by partition and 32 digits.
  __device__ static void sum_chunks(partition_work const& work, unsigned list) {
    std::uint64_t const units = work.counts[list].partitions * digit_groups;
    unsigned const warp = threadIdx.x / warp_threads;
    auto* const sums = reinterpret_cast<unsigned long long(*)[warp_threads]>(shared().keys);
    for (std::uint64_t u = blockIdx.x; u < units; u += gridDim.x) {
      partition const& p = work.lists[list][u / digit_groups];
      unsigned const digit = unsigned(u % digit_groups) * warp_threads + lane_id();
      std::uint64_t const tiles = (p.length + tile - 1) / tile, chunks = (tiles + work.chunk_tiles - 1) / work.chunk_tiles;
      std::uint64_t const share = (chunks + warps - 1) / warps, begin = min(warp * share, chunks),
                          end = min(begin + share, chunks);
      auto* const rows = work.chunks + p.first_chunk;
      unsigned long long sum = 0;
#pragma unroll 8
      for (std::uint64_t c = begin; c < end; ++c) sum += rows[c][digit];
      sums[warp][lane_id()] = sum;
      __syncthreads();
      sum = 0;
      for (unsigned w = 0; w < warp; ++w) sum += sums[w][lane_id()];
#pragma unroll 8
      for (std::uint64_t c = begin; c < end; ++c) {
        unsigned long long const count = rows[c][digit];
        rows[c][digit] = sum;
        sum += count;
      }
      if (warp == warps - 1) work.digits[u / digit_groups][digit] = sum;
      __syncthreads();
    }
  }

  /// Returns the number of bits in which items of one digit may still differ: 0 if they are in order.
  [[nodiscard]] __device__ static unsigned bits_after(partition const& p, unsigned digit) {
    if constexpr (sampled)
      return !p.one_kind(digit);
    else
      return p.numbers.wanted() ? p.numbers.bits_within<K>(digit, p.width, p.rotation) : p.bits - p.width;
  }

  /// Computes where the digits of each partition begin, and what becomes of their items.
  __device__ static void divide(partition_work const& work, plan_lists const& lists, unsigned list) {
    auto* const before = shared().places;
    bool const has_digit = threadIdx.x < digit_values;
    std::uint64_t const partitions = work.counts[list].partitions;
    for (std::uint64_t s = blockIdx.x; s < partitions; s += gridDim.x) {
      partition& p = work.lists[list][s];
      partition const now = p;
      unsigned long long const count = has_digit ? work.digits[s][threadIdx.x] : 0;
      // All keys are in order; or one digit holds all of them, or keys differ in more bits than expected. Then counting was the
      // only work of this level.
      bool const whole = __syncthreads_or(count == now.length);
      bool const mistaken =
          !sampled && !Keys::computed && !now.numbers.wanted() && now.bits < 64 && now.differing >> now.bits != 0;
      partition next{};
      next.from = Keys::computed && now.from == copy::given ? copy::home : now.from;
      if (now.ordered || whole || mistaken) {
        if (!now.ordered && (mistaken ? threadIdx.x == 0 : count == now.length)) {
          next.begin = now.begin;
          next.length = now.length;
          next.bits = sampled ? bits_after(now, threadIdx.x) : 64 - leading_zeros(std::uint64_t(now.differing));
          append<tile>(work, next.bits == 0 ? 2 : 1 - list, next);
        }
        for (std::uint64_t t = threadIdx.x; t < (now.length + tile - 1) / tile; t += threads)
          work.owners[list % 2][now.first_tile + t] = std::uint32_t(s) | staying;
        continue;
      }
      if (has_digit) before[threadIdx.x] = count;
      __syncthreads();
      for (unsigned step = 1; step < digit_values; step *= 2) {
        unsigned long long const below = has_digit && threadIdx.x >= step ? before[threadIdx.x - step] : 0;
        __syncthreads();
        if (has_digit) before[threadIdx.x] += below;
        __syncthreads();
      }
      if (has_digit) {
        copy const source = next.from;
        next.from = source == copy::away ? copy::home : copy::away;
        next.begin = now.begin + before[threadIdx.x] - count;
        next.length = count;
        next.bits = bits_after(now, threadIdx.x);
        work.digits[s][threadIdx.x] = next.begin;
        list_by_class(lists, next);
        if (count > 0 && class_in<K, V, Keys>(count, lists) == tuning::classes)
          append<tile>(work, next.bits == 0 ? 2 : 1 - list, next);
        if (threadIdx.x == 0) p.from = source;
      }
      __syncthreads();
    }
  }

  /// Adds the segments of a warp that a block holds to the lists of their classes, those of one class together.
  __device__ static void list_by_class(plan_lists const& lists, partition const& p) {
    unsigned const c = p.length == 0 ? tuning::classes : class_in<K, V, Keys>(p.length, lists);
    unsigned const alike = __match_any_sync(all_lanes, c), below = alike & ((1u << lane_id()) - 1);
    unsigned long long at = 0;
    if (below == 0 && c < tuning::classes)
      at = atomicAdd(lists.listed[c].count, static_cast<unsigned long long>(__popc(alike)));
    at = __shfl_sync(all_lanes, at, __ffs(int(alike)) - 1) + unsigned(__popc(below));
    if (c < tuning::classes) lists.listed[c].set(at, {p.begin, std::uint32_t(p.length), p.from});
  }

  /// Copies back segments that need no more sorting: those of equal keys, which may be in the other buffer, and others.
  __device__ static void copy_back(data_type const& data, partition_work const& work, unsigned list) {
    std::uint64_t const tiles = work.counts[list].tiles;
    for (std::uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
      partition const p = work.lists[list][work.owners[list % 2][t]];
      std::uint64_t const within = (t - p.first_tile) * tile, end = min(within + tile, p.length);
      for (std::uint64_t i = within + threadIdx.x; i < end; i += threads) {
        std::uint64_t const at = p.begin + i;
        if (p.from != copy::given) data.keys.store(at, (p.from == copy::away ? data.away_codes : data.home_codes)[at]);
        if constexpr (value_bytes<V> != 0)
          if (p.from == copy::away) data.values[at] = data.away_values[at];
        if (data.heads) data.heads[at] = i == 0;
      }
    }
  }
};

// Each phase is also a kernel of its own, with just the registers that it needs. One kernel, whose blocks wait for each other,
// does all remaining levels, so that the host need not know how many there are.

template <class K, class V, class Keys, bool Large>
using traits_for = partition_traits<K, V, Large, Keys::sampled>;

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_for<K, V, Keys, Large>::threads, traits_for<K, V, Keys, Large>::shape.resident)
    begin_partition(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work,
                    __grid_constant__ plan_lists const lists, partition_range range) {
  wait_for_previous();
  partitioner<K, V, Keys, Large>::begin(data, work, lists, range);
}

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_for<K, V, Keys, Large>::threads, traits_for<K, V, Keys, Large>::shape.resident)
    assign_tiles(__grid_constant__ partition_work const work, unsigned list) {
  wait_for_previous();
  partitioner<K, V, Keys, Large>::assign(work, list);
}

/// Counts the tiles of the list.
template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_for<K, V, Keys, Large>::threads, traits_for<K, V, Keys, Large>::shape.resident)
    copy_list_back(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work,
                   unsigned list) {
  wait_for_previous();
  partitioner<K, V, Keys, Large>::copy_back(data, work, list);
}

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_for<K, V, Keys, Large>::threads, 1536 / traits_for<K, V, Keys, Large>::threads)
    count_digits(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work,
                 unsigned list) {
  wait_for_previous();
  if (blockIdx.x == 0 && threadIdx.x == 0) work.counts[1 - list] = {};
  __shared__ std::uint32_t counts[2][digit_values];
  partitioner<K, V, Keys, Large>::count(data, work, list, counts);
}

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_for<K, V, Keys, Large>::threads, traits_for<K, V, Keys, Large>::shape.resident)
    divide_partitions(__grid_constant__ partition_work const work, __grid_constant__ plan_lists const lists, unsigned list) {
  wait_for_previous();
  if (work.counts[list].partitions == 0) return;
  partitioner<K, V, Keys, Large>::sum_chunks(work, list);
  cooperative_groups::this_grid().sync();
  partitioner<K, V, Keys, Large>::divide(work, lists, list);
}

template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_for<K, V, Keys, Large>::threads, traits_for<K, V, Keys, Large>::shape.resident)
    move_items(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work,
               unsigned list) {
  wait_for_previous();
  partitioner<K, V, Keys, Large>::move(data, work, list);
  partitioner<K, V, Keys, Large>::assign(work, 1 - list);
}

/// Does all remaining levels, from one whose list is `list`.
template <class K, class V, class Keys, bool Large>
__global__ void __launch_bounds__(traits_for<K, V, Keys, Large>::threads, traits_for<K, V, Keys, Large>::shape.resident)
    partition_rest(__grid_constant__ segment_data<K, V, Keys> const data, __grid_constant__ partition_work const work,
                   __grid_constant__ plan_lists const lists, partition_range range, bool begins, unsigned list) {
  wait_for_previous();
  using phases = partitioner<K, V, Keys, Large>;
  auto const everyone = cooperative_groups::this_grid();
  if (begins) {
    if (*lists.longer_count == 0) return;
    phases::begin(data, work, lists, range);
    everyone.sync();
    phases::assign(work, 0);
    everyone.sync();
  }
  for (; work.counts[list].partitions != 0; list = 1 - list) {
    if (blockIdx.x == 0 && threadIdx.x == 0) work.counts[1 - list] = {};
    phases::count(data, work, list, phases::shared().counts);
    everyone.sync();
    phases::sum_chunks(work, list);
    everyone.sync();
    phases::divide(work, lists, list);
    everyone.sync();
    phases::move(data, work, list);
    phases::assign(work, 1 - list);
    everyone.sync();
  }
  if (work.counts[2].partitions == 0) return;
  phases::assign(work, 2);
  everyone.sync();
  phases::copy_back(data, work, 2);
}

}  // namespace ordo::inline v0::cuda_detail
