#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cooperative_groups.h>

#include "sort_core/bits.hpp"
#include "sort_core/cuda/plan.cuh"

// Segments that no block holds: all of them together are partitioned by the uppermost eight bits in which their keys differ,
// stably, from one buffer into another, and what still is too long once more by the next eight. Everything else goes to the
// lists of the classes that are sorted on chip, wherever it then lies. One kernel, whose blocks all run at once, does all
// levels, so that the host need not know how many there are.
//
// A level: histogram per segment; its prefix sums; then every tile of items finds its places by looking back at what the tiles
// before it counted (onesweep: Adinets and Merrill 2022) and writes each item there.
namespace ordo::detail {

constexpr unsigned digit_values = 256;
constexpr unsigned partition_threads = 512;
template <class K, class V>
constexpr unsigned partition_items = sizeof(K) == 4 && value_bytes<V> <= 8 ? 16 : 8;
template <class K, class V>
constexpr unsigned partition_tile = partition_threads* partition_items<K, V>;

/// A segment in work.
struct partition {
  std::uint64_t begin, length, first_tile;
  unsigned long long differing;  // ones where keys differ, as far as seen
  unsigned bits;                 // keys may differ below this bit
  copy from;
  bool moves;  // false if one digit holds all
};

/// Numbers of partitions and of their tiles, advanced together so that tiles come in the order of their partitions.
struct partition_count {
  static constexpr unsigned tile_bits = 38;
  unsigned long long both;
  [[nodiscard]] __device__ std::uint64_t partitions() const { return both >> tile_bits; }
  [[nodiscard]] __device__ std::uint64_t tiles() const { return both & ((1ull << tile_bits) - 1); }
};

/// Memory of the partitioning, all on the device.
struct partition_work {
  partition* lists[3];                         // this level, the next, and those with equal keys
  partition_count* counts;                     // of these; all 0 at first
  unsigned long long (*sums)[digit_values];    // a partition each: histogram, then where digits begin
  unsigned long long (*states)[digit_values];  // a tile each: what look-back reads
  std::uint32_t* owners;                       // a tile each: its partition
};

/// Append a segment to a list, which another block may do at the same time.
template <unsigned Tile>
__device__ void append(partition* list, partition_count* count, partition p) {
  unsigned long long const tiles = (p.length + Tile - 1) / Tile;
  partition_count const before{atomicAdd(&count->both, (1ull << partition_count::tile_bits) + tiles)};
  p.first_tile = before.tiles();
  list[before.partitions()] = p;
}

/// Lanes of the warp that have this lane's digit, among those that are there.
__device__ inline unsigned lanes_alike(unsigned digit, bool there) {
  unsigned alike = __ballot_sync(all_lanes, there);
#pragma unroll
  for (unsigned bit = 0; bit < 8; ++bit) {
    unsigned const ones = __ballot_sync(all_lanes, digit >> bit & 1);
    alike &= digit >> bit & 1 ? ones : ~ones;
  }
  return alike;
}

template <class K, class V>
struct partition_storage {
  static constexpr unsigned warps = partition_threads / warp_threads;
  std::uint32_t counts[warps][digit_values];  // of each warp, then: before each warp
  std::uint64_t places[digit_values];         // of the first item of each digit, less its place in the tile
  std::uint32_t sums[warps];
  partition now;
  alignas(16) unsigned char staged[partition_tile<K, V> * (sizeof(K) > value_bytes<V> ? sizeof(K) : value_bytes<V>)];
};

template <class K, class V, class Keys>
class partitioner {
 public:
  using storage = partition_storage<K, V>;
  static constexpr unsigned threads = partition_threads, items = partition_items<K, V>, tile = partition_tile<K, V>;

  __device__ partitioner(segment_data<K, V, Keys> const& data, partition_work const& work, plan_lists const& lists,
                         storage& shared)
      : data_(data), work_(work), lists_(lists), shared_(shared) {}

  __device__ void run() {
    namespace cg = cooperative_groups;
    std::uint64_t const given = *lists_.longer_count;
    if (given == 0) return;
    auto const everyone = cg::this_grid();
    for (std::uint64_t s = std::uint64_t(blockIdx.x) * threads + threadIdx.x; s < given;
         s += std::uint64_t(gridDim.x) * threads)
      append<tile>(work_.lists[0], &work_.counts[0],
                   {lists_.longer[s].begin, lists_.longer[s].length, 0, 0, 0, copy::given, false});
    everyone.sync();
    unsigned now = 0;
    assign_tiles(now);
    everyone.sync();
    each_tile(now, [&](partition& p, std::uint64_t begin, unsigned n) { find_differing(p, begin, n); });
    everyone.sync();
    for (bool first = true;; first = false) {
      prepare(now, first);
      everyone.sync();
      each_tile(now, [&](partition const& p, std::uint64_t begin, unsigned n) { count_digits(p, begin, n); });
      everyone.sync();
      for (std::uint64_t s = blockIdx.x; s < work_.counts[now].partitions(); s += gridDim.x)
        divide(work_.lists[now][s], s, now);
      everyone.sync();
      std::uint64_t const tiles = work_.counts[now].tiles();
      for (std::uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) move_tile(now, t);
      now = 1 - now;
      everyone.sync();
      if (work_.counts[now].both == 0) break;
      assign_tiles(now);
      everyone.sync();
    }
    assign_tiles(2);
    everyone.sync();
    each_tile(2, [&](partition const& p, std::uint64_t begin, unsigned n) { bring_home(p, begin, n); });
  }

 private:
  [[nodiscard]] __device__ static unsigned shift_of(partition const& p) { return p.bits > 8 ? p.bits - 8 : 0; }
  [[nodiscard]] __device__ static unsigned digit_of(partition const& p, K code) {
    unsigned const shift = shift_of(p);
    return unsigned(code >> shift) & ((1u << (p.bits - shift)) - 1);
  }

  /// f(partition, first item, number of items) for this block's tiles of a list.
  template <class F>
  __device__ void each_tile(unsigned list, F f) {
    std::uint64_t const tiles = work_.counts[list].tiles();
    for (std::uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
      partition& p = work_.lists[list][work_.owners[t]];
      std::uint64_t const within = (t - p.first_tile) * tile;
      f(p, p.begin + within, unsigned(p.length - within < tile ? p.length - within : tile));
    }
  }

  __device__ void assign_tiles(unsigned list) {
    for (std::uint64_t s = blockIdx.x; s < work_.counts[list].partitions(); s += gridDim.x) {
      partition const p = work_.lists[list][s];
      for (std::uint64_t t = threadIdx.x; t * tile < p.length; t += threads) work_.owners[p.first_tile + t] = std::uint32_t(s);
    }
  }

  /// In which bits do keys differ? Computed keys are evaluated here, once, and from now on lie in memory.
  __device__ void find_differing(partition& p, std::uint64_t begin, unsigned n) {
    K key[items];
    unsigned const mine = (n + (threads - 1 - threadIdx.x)) / threads;
    data_.template load<threads>(copy::given, begin + threadIdx.x, mine, key);
    // Against a key of the tile, and that against the segment's first.
    K differing = 0;
    if (threadIdx.x == 0) shared_.places[0] = key[0];
    __syncthreads();
    K const one = K(shared_.places[0]);
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      if (i < mine) {
        differing |= key[i] ^ one;
        if (Keys::computed) data_.home_codes[begin + threadIdx.x + i * threads] = key[i];
      }
    }
    if (threadIdx.x == 0 && begin != p.begin) {
      K first[1];
      data_.template load<1>(copy::given, p.begin, 1, first);
      differing |= first[0] ^ one;
    }
#pragma unroll
    for (unsigned step = warp_threads / 2; step > 0; step /= 2) differing |= __shfl_xor_sync(all_lanes, differing, step);
    if (lane_of() == 0 && differing != 0) atomicOr(&p.differing, static_cast<unsigned long long>(differing));
    __syncthreads();
  }

  /// Clears what a level counts in.
  __device__ void prepare(unsigned list, bool first) {
    std::uint64_t const all = std::uint64_t(gridDim.x) * threads, rank = std::uint64_t(blockIdx.x) * threads + threadIdx.x;
    std::uint64_t const partitions = work_.counts[list].partitions();
    for (std::uint64_t i = rank; i < partitions * digit_values; i += all) work_.sums[0][i] = 0;
    for (std::uint64_t i = rank; i < work_.counts[list].tiles() * digit_values; i += all) work_.states[0][i] = 0;
    if (rank == 0) work_.counts[1 - list].both = 0;
    if (first) {
      for (std::uint64_t s = rank; s < partitions; s += all) {
        partition& p = work_.lists[list][s];
        p.bits = 64 - leading_zeros(p.differing);
        if (Keys::computed) p.from = copy::home;
      }
    }
  }

  __device__ void count_digits(partition const& p, std::uint64_t begin, unsigned n) {
    std::uint32_t* const counts = shared_.counts[0];
    if (threadIdx.x < digit_values) counts[threadIdx.x] = 0;
    __syncthreads();
    K key[items];
    unsigned const mine = (n + (threads - 1 - threadIdx.x)) / threads;
    data_.template load<threads>(p.from, begin + threadIdx.x, mine, key);
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      unsigned const digit = digit_of(p, key[i]);
      bool const there = i < mine;
      int alike = 0;
      __match_all_sync(all_lanes, there ? digit : digit_values, &alike);
      if (alike) {  // as in runs of equal keys: one addition for the warp
        if (there && lane_of() == 0) atomicAdd(&counts[digit], warp_threads);
      } else if (there) {
        atomicAdd(&counts[digit], 1u);
      }
    }
    __syncthreads();
    auto* const sums = work_.sums[work_.owners[(begin - p.begin) / tile + p.first_tile]];
    if (threadIdx.x < digit_values && counts[threadIdx.x] != 0)
      atomicAdd(&sums[threadIdx.x], static_cast<unsigned long long>(counts[threadIdx.x]));
    __syncthreads();
  }

  /// Prefix sums of a histogram, and what the digits' items go on as.
  __device__ void divide(partition& p, std::uint64_t s, unsigned list) {
    partition now = p;
    unsigned long long const count = threadIdx.x < digit_values ? work_.sums[s][threadIdx.x] : 0;
    bool const whole = __syncthreads_or(count == now.length);
    unsigned const bits = shift_of(now);
    if (whole) {
      if (threadIdx.x == 0) {
        p.moves = false;
        now.bits = bits;
        if (bits == 0)
          append<tile>(work_.lists[2], &work_.counts[2], now);
        else
          append<tile>(work_.lists[1 - list], &work_.counts[1 - list], now);
      }
      return;
    }
    // Sums of 64 bits, by a few threads: once a segment and level.
    auto* const before = shared_.places;
    if (threadIdx.x < digit_values) before[threadIdx.x] = count;
    __syncthreads();
    for (unsigned step = 1; step < digit_values; step *= 2) {
      std::uint64_t const below = threadIdx.x >= step && threadIdx.x < digit_values ? before[threadIdx.x - step] : 0;
      __syncthreads();
      if (threadIdx.x < digit_values) before[threadIdx.x] += below;
      __syncthreads();
    }
    if (threadIdx.x < digit_values) {
      std::uint64_t const begin = now.begin + before[threadIdx.x] - count;
      work_.sums[s][threadIdx.x] = begin;
      copy const to = now.from == copy::away ? copy::home : copy::away;
      unsigned const c = class_of<sizeof(K), value_bytes<V>>(count, lists_.classes);
      if (count == 0) {
      } else if (c < tuning::classes) {
        std::uint64_t const at = atomicAdd(lists_.listed[c].count, 1ull);
        lists_.listed[c].set(at, {begin, std::uint32_t(count), to});
      } else {
        unsigned const next = bits == 0 ? 2 : 1 - list;
        append<tile>(work_.lists[next], &work_.counts[next], {begin, count, 0, 0, bits, to, false});
      }
      if (threadIdx.x == 0) p.moves = true;
    }
    __syncthreads();
  }

  // A state: what it is in the upper two bits, a count or place below.
  static constexpr unsigned long long of_tile = 1ull << 62, of_all_before = 2ull << 62, value_of = ~(3ull << 62);

  __device__ void move_tile(unsigned list, std::uint64_t t) {
    std::uint64_t const s = work_.owners[t];
    partition const p = work_.lists[list][s];
    if (!p.moves) return;
    std::uint64_t const within = (t - p.first_tile) * tile;
    unsigned const n = unsigned(p.length - within < tile ? p.length - within : tile);
    unsigned const warp = threadIdx.x / warp_threads;
    auto& counts = shared_.counts;
    for (unsigned i = threadIdx.x; i < storage::warps * digit_values; i += threads) counts[0][i] = 0;
    __syncthreads();

    // A warp's items are consecutive, 32 at a time: ranks follow the order of the items.
    unsigned const first = warp * (items * warp_threads) + lane_of();
    unsigned const mine = n > first ? (n - first + warp_threads - 1) / warp_threads : 0;
    std::uint64_t const begin = p.begin + within;
    K key[items];
    data_.template load<warp_threads>(p.from, begin + first, mine, key);
    std::uint32_t rank[items];
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      unsigned const digit = digit_of(p, key[i]);
      unsigned const alike = lanes_alike(digit, i < mine);
      unsigned const below = __popc(alike & ((1u << lane_of()) - 1));
      std::uint32_t const before = counts[warp][digit];
      __syncwarp();
      if (i < mine && below == 0) counts[warp][digit] = before + __popc(alike);
      __syncwarp();
      rank[i] = before + below;
    }
    __syncthreads();

    // By digit: items of the warps before, of the tile, of the digits before, and of all tiles before.
    bool const opens = t == p.first_tile, has_digit = threadIdx.x < digit_values;
    unsigned const digit = threadIdx.x;
    unsigned long long* const state = &work_.states[t][has_digit ? digit : 0];
    unsigned long long place = 0;
    std::uint32_t sum = 0, inclusive = 0;
    if (has_digit) {
#pragma unroll
      for (unsigned w = 0; w < storage::warps; ++w) {
        std::uint32_t const count = counts[w][digit];
        counts[w][digit] = sum;
        sum += count;
      }
      if (opens) place = work_.sums[s][digit];
      publish(state, opens ? of_all_before | (place + sum) : of_tile | sum);
      inclusive = warp_inclusive_sum(sum);
      if (lane_of() == warp_threads - 1) shared_.sums[warp] = inclusive;
    }
    __syncthreads();
    if (has_digit) {
      std::uint32_t before = inclusive - sum;
      for (unsigned w = 0; w < warp; ++w) before += shared_.sums[w];
      if (!opens) {
        for (std::uint64_t back = t - 1;; --back) {
          unsigned long long seen;
          while ((seen = observe(&work_.states[back][digit])) == 0) {}
          place += seen & value_of;
          if ((seen & ~value_of) == of_all_before) break;
        }
        publish(state, of_all_before | (place + sum));
      }
      shared_.places[digit] = place - before;
#pragma unroll
      for (unsigned w = 0; w < storage::warps; ++w) counts[w][digit] += before;
    }
    __syncthreads();

    copy const to = p.from == copy::away ? copy::home : copy::away;
    K* const staged_keys = reinterpret_cast<K*>(shared_.staged);
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      if (i < mine) {
        rank[i] += counts[warp][digit_of(p, key[i])];
        staged_keys[rank[i]] = key[i];
      }
    }
    __syncthreads();
    unsigned digits[items];
    K* const codes = to == copy::away ? data_.away_codes : data_.home_codes;
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      unsigned const at = i * threads + threadIdx.x;
      if (at < n) {
        K const code = staged_keys[at];
        digits[i] = digit_of(p, code);
        codes[shared_.places[digits[i]] + at] = code;
      }
    }
    if constexpr (value_bytes<V> != 0) {
      V const* const source = data_.value_address(p.from, begin + first);
      V value[items];
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (i < mine) value[i] = source[i * warp_threads];
      __syncthreads();
      V* const staged = reinterpret_cast<V*>(shared_.staged);
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (i < mine) staged[rank[i]] = value[i];
      __syncthreads();
      V* const values = to == copy::away ? data_.away_values : data_.values;
#pragma unroll
      for (unsigned i = 0; i < items; ++i) {
        unsigned const at = i * threads + threadIdx.x;
        if (at < n) values[shared_.places[digits[i]] + at] = staged[at];
      }
    }
    __syncthreads();
  }

  /// Equal keys: in order, but perhaps not at home.
  __device__ void bring_home(partition const& p, std::uint64_t begin, unsigned n) {
    for (unsigned i = threadIdx.x; i < n; i += threads) {
      std::uint64_t const at = begin + i;
      if (p.from != copy::given) data_.keys.store(at, (p.from == copy::away ? data_.away_codes : data_.home_codes)[at]);
      if constexpr (value_bytes<V> != 0)
        if (p.from == copy::away) data_.values[at] = data_.away_values[at];
      if (data_.heads) data_.heads[at] = at == p.begin;
    }
  }

  __device__ static void publish(unsigned long long* state, unsigned long long value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(state), "l"(value) : "memory");
  }
  __device__ static unsigned long long observe(unsigned long long const* state) {
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(state) : "memory");
    return value;
  }
  segment_data<K, V, Keys> const& data_;
  partition_work const& work_;
  plan_lists const& lists_;
  storage& shared_;
};

template <class K, class V, class Keys>
__global__ void __launch_bounds__(partition_threads, 2)
    partition_long_segments(segment_data<K, V, Keys> data, partition_work work, plan_lists lists) {
  extern __shared__ __align__(16) unsigned char partition_memory[];
  partitioner<K, V, Keys>(data, work, lists, *reinterpret_cast<partition_storage<K, V>*>(partition_memory)).run();
}

}  // namespace ordo::detail
