#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bits.hpp"
#include "ordo/radix_key.hpp"
#include "sort_core/cuda/primitives/even_numbers.hpp"
#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/parts.hpp"
#include "sort_core/cuda/primitives/thread_group.cuh"
#include "sort_core/cuda/runtime/error.cuh"
#include "sort_core/cuda/runtime/launch.cuh"
#include "sort_core/cuda/tuning/radix.hpp"

// The sort of many evenly distributed keys without values, which need not be stable: two partitions and a sort of parts that
// fit in a block. It reads and writes the keys three times, where a radix sort by digits of eight bits does so four or eight
// times.
//
// A partition does not count first. Each region of the result has room for the keys that are to be expected and some more. A
// block sorts a tile of keys by digit in shared memory, in any order within a digit, reserves room for the keys of each digit
// by one addition to the region's cursor, and writes them there. If a region overflows, the kernels that follow do nothing, and
// another sort does the work. The last kernel counts the keys of a region in linear buckets of about one key each, and compares
// the few keys of a bucket. The digits are those of the even_numbers of codes, not of the codes.
//
// The second partition writes to the caller's array, which is too small by the room to spare: what does not fit follows in
// other memory. Regions are read in order, and the place of a region's keys in the result begins at or before its room, so that
// a block waits only until the regions that it overwrites have been read.
namespace ordo::inline v0::cuda_detail {

/// The sizes of a sort of even keys.
template <class K>
struct even_sizes {
  static constexpr unsigned threads = 512;
  static constexpr unsigned items = sizeof(K) == 4 ? 24 : 16, tile = threads * items;
  static constexpr unsigned max_digit_bits = 9;  // a thread for each digit
  static_assert(1u << max_digit_bits <= threads);
  using team = group<threads>;

  /// Keys that are read at once.
  static constexpr unsigned together = 16 / sizeof(K);
  struct alignas(16) quad {
    K keys[together];
  };
  static_assert(items % together == 0);

  struct tile_storage {
    alignas(16) K keys[tile];
    std::uint32_t counts[1u << max_digit_bits];  // of a digit; then the place of its first key in the tile
    std::uint32_t places[1u << max_digit_bits];  // the place of a digit's first key in the result, less that in the tile
    std::uint32_t sizes[1u << max_digit_bits];
    typename team::template storage<std::uint32_t> collective;
  };

  /// The keys that a block sorts: those of a part of 2,049 to 4,096 keys on average, and room to spare.
  static constexpr unsigned mean = 4096, part_items = 9, capacity = threads * part_items;
  static constexpr unsigned bucket_bits = 12, buckets = 1u << bucket_bits, words = buckets / 2, words_each = words / threads;
  struct part_storage {
    alignas(16) K keys[capacity];
    std::uint32_t begins[words + 4];      // two buckets a word: counts, then positions
    std::uint32_t unequal[buckets / 32];  // a bit for each bucket that has unequal keys
    typename team::template storage<std::uint32_t> collective;
    std::uint32_t part;
  };
  static_assert(capacity < 1u << 16 && buckets / 32 <= threads);

  static bool possible() { return std::max(sizeof(tile_storage), sizeof(part_storage)) <= shared_memory_limit(); }

  /// Returns the room for a region of `mean` keys on average: six standard deviations more, and a little for keys that are not
  /// quite even.
  static std::uint32_t room(double mean_keys, double uneven) {
    double const most = mean_keys * (1 + uneven) + 6 * std::sqrt(mean_keys) + 16;
    return std::uint32_t(most) / 16 * 16 + 16;
  }
};

/// How a sort of n even keys divides them.
template <class K>
struct even_plan {
  using sizes = even_sizes<K>;
  std::uint32_t n;
  unsigned first_bits, second_bits;
  std::uint32_t first_room, second_room;
  std::size_t away;  // keys in the regions of the first partition

  explicit even_plan(std::size_t count) : n(std::uint32_t(count)) {
    unsigned bits = 0;
    while ((count - 1) >> bits >= sizes::mean) ++bits;
    first_bits = (bits + 1) / 2;
    second_bits = bits - first_bits;
    first_room = sizes::room(double(count) / double(1u << first_bits), 0.015);
    second_room = sizes::room(double(count) / double(1u << bits), 0);
    away = std::size_t{first_room} << first_bits;
  }
  [[nodiscard]] static bool possible(std::size_t n) {
    return n > sizes::mean && n <= std::size_t{sizes::mean} << (2 * sizes::max_digit_bits) && n <= std::size_t{1} << 30;
  }
  [[nodiscard]] ORDO_FN std::uint32_t regions() const { return 1u << first_bits; }
  [[nodiscard]] ORDO_FN std::uint32_t parts() const { return 1u << (first_bits + second_bits); }
  /// Returns the number of parts in the caller's array. The others follow in other memory.
  [[nodiscard]] ORDO_FN std::uint32_t parts_in_place() const { return std::min(n / second_room, parts()); }
  [[nodiscard]] std::size_t beyond() const { return std::size_t{parts() - parts_in_place()} * second_room; }
  /// Returns the words of the lists: the states, and the counts of regions, and the counts, positions and states of parts.
  [[nodiscard]] std::size_t list_words() const { return 4 + regions() + 3 * std::size_t{parts()}; }
  [[nodiscard]] std::size_t bytes() const {
    return cuda_detail::parts::size(away * sizeof(K)) + cuda_detail::parts::size(beyond() * sizeof(K)) +
           cuda_detail::parts::size(list_words() * sizeof(std::uint32_t));
  }
};
/// Returns the bytes of memory of such a sort, or 0 for a number of keys that it does not sort.
template <class K>
std::size_t even_bytes(std::size_t n) {
  return even_plan<K>::possible(n) ? even_plan<K>(n).bytes() : 0;
}

template <class K>
struct even_work {
  even_plan<K> plan;
  K const* from;
  K* keys;    // at a multiple of 16 bytes
  K* away;    // plan.away codes, the regions of the first partition
  K* beyond;  // plan.beyond() codes
  even_numbers<K> numbers;
  key_code<K> code;
  // All of these but `begins` are 0 at first.
  std::uint32_t* overflows;  // of the first and of the second partition
  std::uint32_t* next_part;
  std::uint32_t* region_counts;
  std::uint32_t* part_counts;
  std::uint32_t* was_read;  // of each part
  std::uint32_t* begins;    // of each part in the result

  [[nodiscard]] ORDO_FN K* part(std::uint32_t i) const {
    std::uint32_t const in_place = plan.parts_in_place();
    return i < in_place ? keys + std::size_t{i} * plan.second_room : beyond + std::size_t{i - in_place} * plan.second_room;
  }
};

/// Returns the number of keys that this and other threads of the block have counted before this one in counter `at`, which
/// counts in units of `one`. All lanes of a warp may have the same digit, as in sorted keys: then one of them counts. All lanes
/// must call it.
__device__ inline std::uint32_t count_key(std::uint32_t* at, std::uint32_t one = 1) {
  auto const place = reinterpret_cast<std::uintptr_t>(at) | std::uintptr_t{one >> 16};
  if (__all_sync(all_lanes, place == __shfl_sync(all_lanes, place, 0))) {
    std::uint32_t before = 0;
    if (lane_id() == 0) before = atomicAdd(at, warp_threads * one);
    return __shfl_sync(all_lanes, before, 0) + lane_id() * one;
  }
  return atomicAdd(at, one);
}

template <class K>
struct even_partition : even_sizes<K> {
  using sizes = even_sizes<K>;
  using sizes::threads, sizes::items, sizes::tile, sizes::together, sizes::max_digit_bits;
  using typename sizes::quad, typename sizes::tile_storage, typename sizes::team;

  even_work<K> const& work;
  bool first;  // the partition
  unsigned shift, digits;

  __device__ even_partition(even_work<K> const& w, bool is_first)
      : work(w),
        first(is_first),
        shift(32 - w.plan.first_bits - (is_first ? 0 : w.plan.second_bits)),
        digits(1u << (is_first ? w.plan.first_bits : w.plan.second_bits)) {}

  [[nodiscard]] __device__ static tile_storage& shared() { return *reinterpret_cast<tile_storage*>(dynamic_shared_memory()); }
  [[nodiscard]] __device__ std::uint32_t digit(K encoded) const {
    return work.numbers(encoded, work.code) >> shift & (digits - 1);
  }

  /// Partitions `count` keys, of which `region` of the first partition has some or, in the first, all.
  __device__ void distribute(K const* from, std::uint32_t count, std::uint32_t region) const {
    tile_storage& s = shared();
    if (threadIdx.x < digits) s.counts[threadIdx.x] = 0;
    __syncthreads();
    if (count == tile && reinterpret_cast<std::uintptr_t>(from) % sizeof(quad) == 0)
      rank_whole(from, region);
    else
      rank_some(from, count, region);
    write(count, region);
    __syncthreads();
  }

  __device__ void rank_whole(K const* from, std::uint32_t region) const {
    tile_storage& s = shared();
    K keys[items];
    std::uint32_t ranks[items];
#pragma unroll
    for (unsigned i = 0; i < items / together; ++i) {
      quad const some = reinterpret_cast<quad const*>(from)[threadIdx.x + i * threads];
#pragma unroll
      for (unsigned j = 0; j < together; ++j) keys[i * together + j] = first ? work.code.encode(some.keys[j]) : some.keys[j];
    }
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      std::uint32_t const d = digit(keys[i]);
      ranks[i] = count_key(&s.counts[d]) << max_digit_bits | d;
    }
    reserve(region);
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      s.keys[s.counts[ranks[i] % (1u << max_digit_bits)] + (ranks[i] >> max_digit_bits)] = keys[i];
    __syncthreads();
  }

  __device__ void rank_some(K const* from, std::uint32_t count, std::uint32_t region) const {
    tile_storage& s = shared();
    std::uint32_t ranks[items];
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      std::uint32_t const at = threadIdx.x + i * threads;
      if (at < count) ranks[i] = atomicAdd(&s.counts[digit(key_at(from, at))], 1u);
    }
    reserve(region);
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      std::uint32_t const at = threadIdx.x + i * threads;
      if (at >= count) continue;
      K const key = key_at(from, at);
      s.keys[s.counts[digit(key)] + ranks[i]] = key;
    }
    __syncthreads();
  }
  [[nodiscard]] __device__ K key_at(K const* from, std::uint32_t at) const {
    return first ? work.code.encode(from[at]) : from[at];
  }

  /// Reserves room for the keys of each digit, and turns counts to places in the tile.
  __device__ void reserve(std::uint32_t region) const {
    tile_storage& s = shared();
    __syncthreads();
    std::uint32_t count = 0, place = 0;
    if (threadIdx.x < digits) {
      count = s.counts[threadIdx.x];
      std::uint32_t* const cursors = first ? work.region_counts : work.part_counts + region * digits;
      if (count != 0) place = atomicAdd(&cursors[threadIdx.x], count);
    }
    std::uint32_t const before = team::template exclusive_sum<std::uint32_t>(count, s.collective);
    if (threadIdx.x < digits) {
      std::uint32_t const room = first ? work.plan.first_room : work.plan.second_room;
      bool const fits = place + count <= room;  // a cursor stays far below 2^32
      if (!fits) work.overflows[first ? 0 : 1] = 1;
      s.sizes[threadIdx.x] = fits ? count : 0;
      s.counts[threadIdx.x] = before;
      s.places[threadIdx.x] = place;
    }
    __syncthreads();
  }

  /// Writes a tile that is sorted by digit.
  __device__ void write(std::uint32_t count, std::uint32_t region) const {
    tile_storage& s = shared();
#pragma unroll 4
    for (std::uint32_t at = threadIdx.x; at < count; at += threads) {
      K const key = s.keys[at];
      std::uint32_t const d = digit(key), i = at - s.counts[d];
      if (i < s.sizes[d]) target(region, d)[s.places[d] + i] = key;
    }
  }
  [[nodiscard]] __device__ K* target(std::uint32_t region, std::uint32_t d) const {
    return first ? work.away + std::size_t{d} * work.plan.first_room : work.part(region * digits + d);
  }
};

/// Partitions the keys by the first digit of their numbers.
template <class K>
__global__ void __launch_bounds__(even_sizes<K>::threads, 2) partition_even_keys(even_work<K> work) {
  wait_for_previous();
  constexpr std::uint32_t tile = even_sizes<K>::tile;
  even_partition<K> const partition(work, true);
  for (std::uint32_t begin = blockIdx.x * tile; begin < work.plan.n; begin += gridDim.x * tile)
    partition.distribute(work.from + begin, std::min(tile, work.plan.n - begin), 0);
}

/// Partitions each region by the second digit.
template <class K>
__global__ void __launch_bounds__(even_sizes<K>::threads, 2) partition_even_regions(even_work<K> work) {
  wait_for_previous();
  constexpr std::uint32_t tile = even_sizes<K>::tile;
  if (work.overflows[0] != 0) return;
  even_partition<K> const partition(work, false);
  std::uint32_t const tiles = (work.plan.first_room + tile - 1) / tile;
  for (std::uint32_t i = blockIdx.x; i < work.plan.regions() * tiles; i += gridDim.x) {
    std::uint32_t const region = i / tiles, begin = i % tiles * tile, count = work.region_counts[region];
    if (begin < count)
      partition.distribute(work.away + std::size_t{region} * work.plan.first_room + begin, std::min(tile, count - begin),
                           region);
  }
}

/// Computes the place of each part in the result. One block.
template <class K>
__global__ void __launch_bounds__(1024) place_even_parts(even_work<K> work) {
  wait_for_previous();
  using team = group<1024>;
  auto& collective = *reinterpret_cast<typename team::template storage<std::uint32_t>*>(dynamic_shared_memory());
  std::uint32_t const parts = work.plan.parts(), each = (parts + team::threads - 1) / team::threads;
  std::uint32_t const begin = std::min(threadIdx.x * each, parts), end = std::min(begin + each, parts);
  std::uint32_t sum = 0;
  for (std::uint32_t i = begin; i < end; ++i) sum += work.part_counts[i];
  std::uint32_t next = team::template exclusive_sum<std::uint32_t>(sum, collective);
  for (std::uint32_t i = begin; i < end; ++i) {
    work.begins[i] = next;
    next += work.part_counts[i];
  }
}

/// Sorts parts, and writes them to their places.
template <class K>
struct even_part_sort : even_sizes<K> {
  using sizes = even_sizes<K>;
  using sizes::threads, sizes::together, sizes::capacity, sizes::words, sizes::words_each, sizes::buckets, sizes::bucket_bits;
  using typename sizes::quad, typename sizes::part_storage, typename sizes::team;
  static constexpr unsigned rounds = (capacity / together + threads - 1) / threads, items = rounds * together;

  even_work<K> const& work;
  unsigned shift;

  __device__ explicit even_part_sort(even_work<K> const& w)
      : work(w), shift(32 - w.plan.first_bits - w.plan.second_bits - bucket_bits) {}

  [[nodiscard]] __device__ static part_storage& shared() { return *reinterpret_cast<part_storage*>(dynamic_shared_memory()); }
  [[nodiscard]] __device__ std::uint32_t bucket(K encoded) const {
    return work.numbers(encoded, work.code) >> shift & (buckets - 1);
  }
  [[nodiscard]] __device__ static std::uint32_t begin_of(std::uint32_t bucket) {
    return reinterpret_cast<std::uint16_t const*>(shared().begins)[bucket];
  }
  /// Returns the place of an item in a part: lanes read items together.
  [[nodiscard]] __device__ static std::uint32_t place(unsigned item) {
    return (threadIdx.x + item / together * threads) * together + item % together;
  }

  __device__ void sort(std::uint32_t part) const {
    part_storage& s = shared();
    std::uint32_t const count = work.part_counts[part], begin = work.begins[part];
    K const* const from = work.part(part);
    K keys[items];
    std::uint32_t ranks[items];
#pragma unroll
    for (unsigned i = 0; i < words_each; ++i) s.begins[threadIdx.x + i * threads] = 0;
    if (threadIdx.x < buckets / 32) s.unequal[threadIdx.x] = 0;
#pragma unroll
    for (unsigned i = 0; i < rounds; ++i) {
      std::uint32_t const at = place(i * together);  // the room of a part is a multiple of what is read together
      if (at >= count) continue;
      quad const some = *reinterpret_cast<quad const*>(from + at);
#pragma unroll
      for (unsigned j = 0; j < together; ++j) keys[i * together + j] = some.keys[j];
    }
    __syncthreads();
    if (threadIdx.x == 0) {  // its keys are in registers, and may be overwritten
      __threadfence();
      *static_cast<std::uint32_t volatile*>(work.was_read + part) = 1;
    }
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      bool const is_key = place(i) < count;
      std::uint32_t const b = is_key ? bucket(keys[i]) : 0, upper = b % 2 * 16;
      std::uint32_t before = 0;
      if (__all_sync(all_lanes, is_key))
        before = count_key(&s.begins[b / 2], 1u << upper);
      else if (is_key)
        before = atomicAdd(&s.begins[b / 2], 1u << upper);
      ranks[i] = (before >> upper & 0xffff) << bucket_bits | b;
    }
    sum_counts(count);
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (place(i) < count) s.keys[begin_of(ranks[i] % buckets) + (ranks[i] >> bucket_bits)] = keys[i];
    __syncthreads();
    for (std::uint32_t at = threadIdx.x; at < count; at += threads) {
      std::uint32_t const b = bucket(s.keys[at]);
      if (s.keys[at] != s.keys[begin_of(b)]) atomicOr(&s.unequal[b / 32], 1u << b % 32);
    }
    wait_for_room(part, begin, count);
#pragma unroll 4
    for (std::uint32_t at = threadIdx.x; at < count; at += threads) {
      K const key = s.keys[at];
      work.keys[begin + rank(key, at)] = work.code.decode(key);
    }
    __syncthreads();
  }

  /// Turns the counts of buckets to positions.
  __device__ void sum_counts(std::uint32_t count) const {
    part_storage& s = shared();
    __syncthreads();
    std::uint32_t both[words_each], sum = 0;
#pragma unroll
    for (unsigned i = 0; i < words_each; ++i) {
      std::uint32_t const counts = s.begins[threadIdx.x * words_each + i], lower = counts & 0xffff;
      both[i] = sum | (sum + lower) << 16;
      sum += lower + (counts >> 16);
    }
    std::uint32_t const before = team::template exclusive_sum<std::uint32_t>(sum, s.collective);
#pragma unroll
    for (unsigned i = 0; i < words_each; ++i) s.begins[threadIdx.x * words_each + i] = both[i] + before * 0x10001u;
    if (threadIdx.x == 0) s.begins[words] = count;
    __syncthreads();
  }

  /// Returns the rank in the part of the key at `at`: that place, unless its bucket has unequal keys.
  [[nodiscard]] __device__ std::uint32_t rank(K key, std::uint32_t at) const {
    std::uint32_t const b = bucket(key);
    if ((shared().unequal[b / 32] >> b % 32 & 1) == 0) return at;
    std::uint32_t const begin = begin_of(b), end = begin_of(b + 1);
    std::uint32_t result = begin;
    for (std::uint32_t i = begin; i < end; ++i) {
      K const other = shared().keys[i];
      result += (other < key) | ((other == key) & (i < at));
    }
    return result;
  }

  /// Waits until the parts whose room this part's place in the result overlaps have been read.
  __device__ void wait_for_room(std::uint32_t part, std::uint32_t begin, std::uint32_t count) const {
    if (count != 0) {
      std::uint32_t const room = work.plan.second_room, last = (begin + count - 1) / room;
      for (std::uint32_t other = begin / room + threadIdx.x; other <= last; other += threads)
        if (other < part && other < work.plan.parts_in_place()) {
          while (*static_cast<std::uint32_t const volatile*>(work.was_read + other) == 0) {}
          __threadfence();
        }
    }
    __syncthreads();
  }
};

/// Blocks take parts in order, so that those that a block waits for are being read.
template <class K>
__global__ void __launch_bounds__(even_sizes<K>::threads, 3) sort_even_parts(even_work<K> work) {
  wait_for_previous();
  if (work.overflows[0] != 0 || work.overflows[1] != 0) return;
  even_part_sort<K> const sorter(work);
  auto& s = even_part_sort<K>::shared();
  for (;;) {
    if (threadIdx.x == 0) s.part = atomicAdd(work.next_part, 1u);
    __syncthreads();
    std::uint32_t const part = s.part;
    if (part >= work.plan.parts()) return;
    sorter.sort(part);
  }
}

/// Brings the keys of all regions back, in any order.
template <class K>
__global__ void __launch_bounds__(even_sizes<K>::threads) gather_even_regions(even_work<K> work) {
  wait_for_previous();
  if (work.overflows[0] != 0) return;
  for (std::uint32_t region = blockIdx.x; region < work.plan.regions(); region += gridDim.x) {
    std::uint32_t begin = 0;
    for (std::uint32_t i = 0; i < region; ++i) begin += work.region_counts[i];
    K const* const from = work.away + std::size_t{region} * work.plan.first_room;
    for (std::uint32_t i = threadIdx.x; i < work.region_counts[region]; i += even_sizes<K>::threads)
      work.keys[begin + i] = work.code.decode(from[i]);
  }
}

/// Sorts n keys if they are as even as the numbers say.
/// @param from  the keys, which may be `keys`; both at multiples of 16 bytes
/// @returns false if they are not. Then `keys` has the keys, in any order, if it is `from`
/// @throws ordo::out_of_memory  before anything has changed
template <class B, class K>
bool sort_as_even_keys(B& backend, K const* from, K* keys, std::size_t n, even_numbers<K> numbers, key_code<K> code) {
  using sizes = even_sizes<K>;
  even_plan<K> const plan(n);
  auto const memory = backend.template buffer<char>(plan.bytes());
  cuda_detail::parts taken(memory.data());
  std::uint32_t const parts = plan.parts();
  K* const away = taken.take<K>(plan.away);
  K* const beyond = taken.take<K>(plan.beyond());
  auto* const lists = taken.take<std::uint32_t>(plan.list_words());
  std::uint32_t *const regions = lists + 4, *const counts = regions + plan.regions();
  even_work<K> const work{plan,
                          from,
                          keys,
                          away,
                          beyond,
                          numbers,
                          code,
                          lists,
                          lists + 2,
                          regions,
                          counts,
                          counts + parts,
                          counts + 2 * std::size_t{parts}};
  ORDO_CUDA(cudaMemsetAsync(lists, 0, (plan.list_words() - parts) * sizeof(std::uint32_t), backend.stream()));
  auto& kernels = backend.kernels();
  launch<partition_even_keys<K>>(kernels, unsigned((n + sizes::tile - 1) / sizes::tile), sizes::threads,
                                 sizeof(typename sizes::tile_storage), work);
  unsigned const tiles = (plan.first_room + sizes::tile - 1) / sizes::tile * plan.regions();
  launch<partition_even_regions<K>>(kernels, tiles, sizes::threads, sizeof(typename sizes::tile_storage), work);
  launch<place_even_parts<K>>(kernels, 1, 1024, sizeof(typename group<1024>::template storage<std::uint32_t>), work);
  launch<sort_even_parts<K>>(kernels, parts, sizes::threads, sizeof(typename sizes::part_storage), work);
  std::uint32_t overflows[2] = {};
  auto to = std::span<std::uint32_t>(overflows);
  backend.download(std::span<std::uint32_t const>(lists, 2), to);
  if (overflows[0] == 0 && overflows[1] == 0) return true;
  if (from == keys && overflows[0] == 0) launch<gather_even_regions<K>>(kernels, plan.regions(), sizes::threads, 0, work);
  return false;
}

}  // namespace ordo::inline v0::cuda_detail
