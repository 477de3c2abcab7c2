#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bits.hpp"
#include "ordo/radix_key.hpp"
#include "sort_core/cuda/kernels/partition_tile.cuh"
#include "sort_core/cuda/primitives/even_numbers.hpp"
#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/primitives/parts.hpp"
#include "sort_core/cuda/primitives/sample_places.hpp"
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
// If the numbers are not even but smooth, a curve makes them so. It is made of a sample of a million keys, and gives each piece
// of the range somewhat more than its share of the sample, since a piece may have more keys than the sample shows.
//
// The second partition writes to the caller's array, which is too small by the room to spare: what does not fit follows in
// other memory. Regions are read in order, and the place of a region's keys in the result begins at or before its room, so that
// a block waits only until the regions that it overwrites have been read.
namespace ordo::inline v0::cuda_detail {

/// The sizes of a sort of even keys.
template <class K>
struct even_sizes {
  static constexpr unsigned threads = partition_tile<K>::threads, tile = partition_tile<K>::tile;
  static constexpr unsigned max_digit_bits = partition_tile<K>::max_digit_bits, together = partition_tile<K>::together;
  using team = group<threads>;
  using quad = typename partition_tile<K>::quad;

  using curve_starts = std::uint32_t[even_curve::pieces + 1];
  struct tile_storage {
    typename partition_tile<K>::storage tile;
    curve_starts curve;
  };

  /// The keys that a block sorts: those of a part, and room to spare. A part has up to `mean` keys on average, and at least
  /// half as many: then a block takes 1.3 times as long for a key. With a curve it has fewer, since it needs more room.
  static constexpr unsigned mean = 4480, curved_mean = 4096, part_items = 10, capacity = threads * part_items;
  static constexpr unsigned bucket_bits = 12, buckets = 1u << bucket_bits, words = buckets / 2, words_each = words / threads;
  struct part_storage {
    alignas(16) K keys[capacity];
    std::uint32_t begins[words + 4];      // two buckets a word: counts, then positions
    std::uint32_t unequal[buckets / 32];  // a bit for each bucket that has unequal keys
    curve_starts curve;
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

  // The sample that a curve is made of. A piece is counted in 16 bins, which show whether it is smooth.
  static constexpr unsigned bin_bits = 13, bins = 1u << bin_bits, bins_each = bins / even_curve::pieces;
  static_assert(even_curve::pieces == threads);
  static std::size_t curve_sample(std::size_t n) { return std::min(n / 8, std::size_t{1} << 20); }
  /// Returns what a curve may give in excess, as a part of all: 6 % of a million keys, since a piece gets 2.5 deviations more.
  static double curve_excess(std::size_t n) { return 60 / std::sqrt(double(curve_sample(n))); }
  static constexpr double dense = 1.08;  // the limit of the density in a bin over that in its piece
};

/// How a sort of n even keys divides them.
template <class K>
struct even_plan {
  using sizes = even_sizes<K>;
  std::uint32_t n;
  unsigned first_bits, second_bits;
  std::uint32_t first_room, second_room;
  std::size_t away;  // keys in the regions of the first partition
  bool curved;

  explicit even_plan(std::size_t count, bool by_curve = false) : n(std::uint32_t(count)), curved(by_curve) {
    unsigned bits = 0;
    while ((count - 1) >> bits >= (curved ? sizes::curved_mean : sizes::mean)) ++bits;
    first_bits = (bits + 1) / 2;
    second_bits = bits - first_bits;
    double const excess = curved ? sizes::curve_excess(count) : 0;
    first_room = sizes::room(double(count) / double(1u << first_bits), excess + 0.015);
    // A part that is denser than its piece by more than 6 % may overflow. Then another sort does the work.
    second_room = sizes::room(double(count) / double(1u << bits), curved ? (1 + excess) * 1.06 - 1 : 0);
    away = std::size_t{first_room} << first_bits;
  }
  [[nodiscard]] static bool possible(std::size_t n) {
    return n > sizes::mean && n <= std::size_t{sizes::curved_mean} << (2 * sizes::max_digit_bits) && n <= std::size_t{1} << 30;
  }
  [[nodiscard]] unsigned part_bits() const { return first_bits + second_bits; }
  [[nodiscard]] ORDO_FN std::uint32_t regions() const { return 1u << first_bits; }
  [[nodiscard]] ORDO_FN std::uint32_t parts() const { return 1u << (first_bits + second_bits); }
  /// Returns the number of parts in the caller's array. The others follow in other memory.
  [[nodiscard]] ORDO_FN std::uint32_t parts_in_place() const { return std::min(n / second_room, parts()); }
  [[nodiscard]] std::size_t beyond() const { return std::size_t{parts() - parts_in_place()} * second_room; }
  /// Returns the words of the curve: the counts of bins, and the starts of pieces.
  [[nodiscard]] std::size_t curve_words() const { return curved ? sizes::bins + even_curve::pieces + 4 : 0; }
  /// Returns the words of the lists: the states, the curve, the counts of regions, and the counts, positions and states of
  /// parts.
  [[nodiscard]] std::size_t list_words() const { return 4 + curve_words() + regions() + 3 * std::size_t{parts()}; }
  [[nodiscard]] std::size_t bytes() const {
    return cuda_detail::parts::size(away * sizeof(K)) + cuda_detail::parts::size(beyond() * sizeof(K)) +
           cuda_detail::parts::size(list_words() * sizeof(std::uint32_t));
  }
};
/// Returns the bytes of memory of such a sort, or 0 for a number of keys that it does not sort.
template <class K>
std::size_t even_bytes(std::size_t n) {
  return even_plan<K>::possible(n) ? even_plan<K>(n, true).bytes() : 0;
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
  std::uint32_t* overflows;  // not 0 if the first or the second partition overflowed, or the first has no curve to go by
  std::uint32_t* next_part;
  std::uint32_t* region_counts;
  std::uint32_t* part_counts;
  std::uint32_t* was_read;  // not 0 if the part has been read
  std::uint32_t* begins;    // the place of each part in the result
  std::uint32_t* bins;      // the sample's keys in each bin of the curve's range
  std::uint32_t* curve;     // the starts of its pieces

  [[nodiscard]] ORDO_FN K* part(std::uint32_t i) const {
    std::uint32_t const in_place = plan.parts_in_place();
    return i < in_place ? keys + std::size_t{i} * plan.second_room : beyond + std::size_t{i - in_place} * plan.second_room;
  }
};

/// How kernels compute numbers: known at compile time.
template <class K, bool ByValue, bool Curved>
struct even_map {
  static constexpr bool by_value = ByValue, curved = Curved;
  /// Loads the curve into shared memory. The block synchronises before it is used.
  __device__ static void load(even_work<K> const& work, std::uint32_t* curve) {
    if constexpr (Curved)
      for (unsigned i = threadIdx.x; i <= even_curve::pieces; i += even_sizes<K>::threads) curve[i] = work.curve[i];
  }
  [[nodiscard]] __device__ static std::uint32_t number(even_work<K> const& work, K encoded, std::uint32_t const* curve) {
    // A curve spreads frequent keys over many numbers: 24 bits would not tell these keys apart.
    std::uint32_t const x = work.numbers.template number<ByValue, Curved>(encoded, work.code);
    if constexpr (Curved)
      return even_curve::number(curve, x);
    else
      return x;
  }
};
/// Calls run(even_map<...>{}) with the map of the work.
template <class K, class Run>
void with_map(even_work<K> const& work, Run run) {
  if (work.plan.curved) {
    if (work.numbers.by_value())
      run(even_map<K, true, true>{});
    else
      run(even_map<K, false, true>{});
  } else {
    if (work.numbers.by_value())
      run(even_map<K, true, false>{});
    else
      run(even_map<K, false, false>{});
  }
}

/// Counts the keys of a sample in each bin. Blocks stride over it.
template <class K>
__global__ void __launch_bounds__(even_sizes<K>::threads) count_curve_sample(even_work<K> work, std::size_t sample) {
  wait_for_previous();
  using sizes = even_sizes<K>;
  auto* const counts = reinterpret_cast<std::uint32_t*>(dynamic_shared_memory());
  for (unsigned i = threadIdx.x; i < sizes::bins; i += sizes::threads) counts[i] = 0;
  __syncthreads();
  std::size_t const stride = work.plan.n / sample;
  for (std::size_t i = std::size_t{blockIdx.x} * sizes::threads + threadIdx.x; i < sample;
       i += std::size_t{gridDim.x} * sizes::threads) {
    K const key = work.code.encode(work.from[i * stride + place_in_stride(i, stride)]);
    atomicAdd(&counts[work.numbers(key, work.code) >> (32 - sizes::bin_bits)], 1u);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < sizes::bins; i += sizes::threads)
    if (counts[i] != 0) atomicAdd(&work.bins[i], counts[i]);
}

/// Makes the curve of such a sample, or finds that there is none. One block, with a thread for each piece.
template <class K>
__global__ void __launch_bounds__(even_sizes<K>::threads) make_curve(even_work<K> work, std::uint32_t sample, float excess) {
  wait_for_previous();
  using sizes = even_sizes<K>;
  using team = typename sizes::team;
  auto& collective = *reinterpret_cast<typename team::template storage<std::uint32_t>*>(dynamic_shared_memory());
  // Shares are in 64ths of a sampled key. A piece gets a share for this many standard deviations more than the sample shows.
  constexpr unsigned scale = 64;
  constexpr float deviations = 2.5f;
  std::uint32_t const* const bins = work.bins + threadIdx.x * sizes::bins_each;
  std::uint32_t count = 0, most = 0;
  for (unsigned i = 0; i < sizes::bins_each; ++i) {
    count += bins[i];
    most = bins[i] > most ? bins[i] : most;
  }
  float const mean = float(count) / float(sizes::bins_each);
  bool const uneven = count > sample / 16 || float(most) > mean * float(sizes::dense) + 5 * sqrtf(mean) + 8;
  std::uint32_t const share = count * scale + std::uint32_t((deviations * sqrtf(float(count)) + 1) * float(scale));
  std::uint32_t const before = team::template exclusive_sum<std::uint32_t>(share, collective);
  __syncthreads();
  auto* const total = reinterpret_cast<std::uint32_t*>(dynamic_shared_memory());
  if (threadIdx.x == sizes::threads - 1) *total = before + share;
  bool const refused = __syncthreads_or(uneven) != 0 || float(*total) > float(sample) * float(scale) * (1 + excess);
  work.curve[threadIdx.x] = std::uint32_t((std::uint64_t{before} << 32) / *total);
  if (threadIdx.x != 0) return;
  work.curve[even_curve::pieces] = ~std::uint32_t{0};
  if (refused) work.overflows[0] = 1;
}

/// The digits of the first or the second partition, and the room for their keys.
template <class K, bool First, class Map>
struct even_digits {
  even_work<K> const& work;
  std::uint32_t const* curve;
  unsigned shift, digits;
  std::uint32_t region = 0;  // the region that the second partition reads

  __device__ even_digits(even_work<K> const& w, typename even_sizes<K>::tile_storage& storage)
      : work(w),
        curve(storage.curve),
        shift(32 - w.plan.first_bits - (First ? 0 : w.plan.second_bits)),
        digits(1u << (First ? w.plan.first_bits : w.plan.second_bits)) {
    Map::load(work, storage.curve);
  }
  /// The second partition reads codes.
  [[nodiscard]] __device__ K read(K key) const { return First ? work.code.encode(key) : key; }
  [[nodiscard]] __device__ std::uint32_t digit(K encoded) const {
    return Map::number(work, encoded, curve) >> shift & (digits - 1);
  }
  [[nodiscard]] __device__ K* reserve(unsigned digit, std::uint32_t count) const {
    std::uint32_t* const cursors = First ? work.region_counts : work.part_counts + region * digits;
    // A cursor stays far below 2^32.
    std::uint32_t const place = count != 0 ? atomicAdd(&cursors[digit], count) : 0;
    if (place + count > (First ? work.plan.first_room : work.plan.second_room)) {
      work.overflows[First ? 0 : 1] = 1;
      return nullptr;
    }
    return (First ? work.away + std::size_t{digit} * work.plan.first_room : work.part(region * digits + digit)) + place;
  }
};

/// Partitions the keys by the first digit of their numbers.
template <class K, class Map>
__global__ void __launch_bounds__(even_sizes<K>::threads, 2) partition_even_keys(even_work<K> work) {
  wait_for_previous();
  // Other blocks may set it at any time: all threads of this one must decide the same.
  if (Map::curved && __syncthreads_or(work.overflows[0] != 0)) return;
  constexpr std::uint32_t tile = even_sizes<K>::tile;
  auto& storage = *reinterpret_cast<typename even_sizes<K>::tile_storage*>(dynamic_shared_memory());
  even_digits<K, true, Map> const digits(work, storage);
  for (std::uint32_t begin = blockIdx.x * tile; begin < work.plan.n; begin += gridDim.x * tile)
    partition_tile<K>::distribute(digits, storage.tile, work.from + begin, std::min(tile, work.plan.n - begin));
}

/// Partitions each region by the second digit.
template <class K, class Map>
__global__ void __launch_bounds__(even_sizes<K>::threads, 2) partition_even_regions(even_work<K> work) {
  wait_for_previous();
  if (work.overflows[0] != 0) return;
  constexpr std::uint32_t tile = even_sizes<K>::tile;
  auto& storage = *reinterpret_cast<typename even_sizes<K>::tile_storage*>(dynamic_shared_memory());
  even_digits<K, false, Map> digits(work, storage);
  std::uint32_t const tiles = (work.plan.first_room + tile - 1) / tile;
  for (std::uint32_t i = blockIdx.x; i < work.plan.regions() * tiles; i += gridDim.x) {
    // In turn, so that not the same blocks get the last tile of every region, which is shorter, or empty.
    std::uint32_t const region = i / tiles, begin = (i + region) % tiles * tile, count = work.region_counts[region];
    digits.region = region;
    if (begin < count)
      partition_tile<K>::distribute(digits, storage.tile, work.away + std::size_t{region} * work.plan.first_room + begin,
                                    std::min(tile, count - begin));
  }
}

/// Computes the place of each part in the result. One block.
template <class K>
__global__ void __launch_bounds__(1024) place_even_parts(even_work<K> work) {
  wait_for_previous();
  using team = group<1024>;
  auto& collective = *reinterpret_cast<typename team::template storage<std::uint32_t>*>(dynamic_shared_memory());
  constexpr std::uint32_t together = 4;
  std::uint32_t before = 0;
  for (std::uint32_t first = 0; first < work.plan.parts(); first += together * team::threads) {
    std::uint32_t const begin = first + together * threadIdx.x;
    std::uint32_t counts[together], sum = 0;
#pragma unroll
    for (unsigned i = 0; i < together; ++i) {
      counts[i] = begin + i < work.plan.parts() ? work.part_counts[begin + i] : 0;
      sum += counts[i];
    }
    std::uint32_t next = before + team::template exclusive_sum<std::uint32_t>(sum, collective);
#pragma unroll
    for (unsigned i = 0; i < together; ++i) {
      if (begin + i < work.plan.parts()) work.begins[begin + i] = next;
      next += counts[i];
    }
    before += __reduce_add_sync(all_lanes, collective.sums[lane_id()]);  // as many warps as lanes
    __syncthreads();
  }
}

/// Sorts parts, and writes them to their places.
template <class K, class Map>
struct even_part_sort : even_sizes<K> {
  using sizes = even_sizes<K>;
  using sizes::threads, sizes::together, sizes::capacity, sizes::words, sizes::words_each, sizes::buckets, sizes::bucket_bits;
  using typename sizes::quad, typename sizes::part_storage, typename sizes::team;
  static constexpr unsigned rounds = (capacity / together + threads - 1) / threads, items = rounds * together;
  static constexpr std::uint32_t large_bucket = 12;  // evenly distributed keys have no larger ones

  even_work<K> const& work;
  unsigned shift;

  __device__ explicit even_part_sort(even_work<K> const& w)
      : work(w), shift(32 - w.plan.first_bits - w.plan.second_bits - bucket_bits) {
    Map::load(work, shared().curve);
  }

  [[nodiscard]] __device__ static part_storage& shared() { return *reinterpret_cast<part_storage*>(dynamic_shared_memory()); }
  [[nodiscard]] __device__ std::uint32_t bucket(K encoded) const {
    return Map::number(work, encoded, shared().curve) >> shift & (buckets - 1);
  }
  [[nodiscard]] __device__ static std::uint32_t first_place(std::uint32_t bucket) {
    return reinterpret_cast<std::uint16_t const*>(shared().begins)[bucket];
  }
  /// Returns the place of an item in a part: lanes read items together.
  [[nodiscard]] __device__ static std::uint32_t place(unsigned item) {
    return (threadIdx.x + item / together * threads) * together + item % together;
  }

  /// Sorts parts in turn. Blocks take them in order, so that those that a block waits for are being read.
  __device__ void sort_all() const {
    part_storage& s = shared();
    if (threadIdx.x == 0) s.part = atomicAdd(work.next_part, 1u);
    __syncthreads();
    for (;;) {
      std::uint32_t const part = s.part;
      if (part >= work.plan.parts()) return;
      sort(part);
      __syncthreads();
    }
  }

  __device__ void sort(std::uint32_t part) const {
    part_storage& s = shared();
    std::uint32_t const count = work.part_counts[part], begin = work.begins[part];
    K const* const from = work.part(part);
    K keys[items];
    std::uint32_t ranks[items];
#pragma unroll
    for (unsigned i = 0; i < words_each; ++i) s.begins[threadIdx.x + i * threads] = 0;
#pragma unroll
    for (unsigned i = 0; i < rounds; ++i) {
      std::uint32_t const at = place(i * together);  // the room of a part is a multiple of what is read together
      if (at >= count) continue;
      quad const some = *reinterpret_cast<quad const*>(from + at);
#pragma unroll
      for (unsigned j = 0; j < together; ++j) keys[i * together + j] = some.keys[j];
    }
    // The next part, and the parts where this one will be written: both take long to arrive.
    std::uint32_t next = 0;
    if (threadIdx.x == 0) next = atomicAdd(work.next_part, 1u);
    std::uint32_t const overwritten = begin / work.plan.second_room + threadIdx.x;
    bool const waits = count != 0 && overwritten <= (begin + count - 1) / work.plan.second_room && overwritten < part &&
                       overwritten < work.plan.parts_in_place();
    bool const may_write = !waits || was_read(overwritten);
    __syncthreads();
    count_buckets(keys, ranks, count);
    bool const has_large = sum_counts(count);
    if (threadIdx.x == 0) {  // the part's keys have been counted, and may be overwritten
      __threadfence();
      *static_cast<std::uint32_t volatile*>(work.was_read + part) = 1;
      s.part = next;
    }
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (place(i) < count) s.keys[first_place(ranks[i] % buckets) + (ranks[i] >> bucket_bits)] = keys[i];
    if (!may_write)
      while (!was_read(overwritten)) {}
    __threadfence();
    __syncthreads();
    if (has_large)
      write_large(begin, count);
    else
      write(begin, count);
  }
  [[nodiscard]] __device__ bool was_read(std::uint32_t part) const {
    return *static_cast<std::uint32_t const volatile*>(work.was_read + part) != 0;
  }

  /// Counts the keys of each bucket, and ranks them in it.
  __device__ void count_buckets(K const (&keys)[items], std::uint32_t (&ranks)[items], std::uint32_t count) const {
    part_storage& s = shared();
    bool const whole = __all_sync(all_lanes, place(0) < count);
    if (whole && are_alike(bucket(keys[0]))) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i) {
        bool const is_key = place(i) < count;
        std::uint32_t const b = is_key ? bucket(keys[i]) : 0, upper = b % 2 * 16;
        std::uint32_t before = 0;
        if (__all_sync(all_lanes, is_key))
          before = count_alike(s.begins, b / 2, upper);
        else if (is_key)
          before = count_key(s.begins + b / 2, upper);
        ranks[i] = (before >> upper & 0xffff) << bucket_bits | b;
      }
    } else {
#pragma unroll
      for (unsigned i = 0; i < items; ++i) {
        if (place(i) >= count) continue;
        std::uint32_t const b = bucket(keys[i]), upper = b % 2 * 16;
        ranks[i] = (count_key(s.begins + b / 2, upper) >> upper & 0xffff) << bucket_bits | b;
      }
    }
  }

  /// Turns the counts of buckets to positions.
  /// @returns true if a bucket is large
  __device__ bool sum_counts(std::uint32_t count) const {
    part_storage& s = shared();
    __syncthreads();
    std::uint32_t both[words_each], sum = 0;
    bool large = false;
#pragma unroll
    for (unsigned i = 0; i < words_each; ++i) {
      std::uint32_t const counts = s.begins[threadIdx.x * words_each + i], lower = counts & 0xffff, upper = counts >> 16;
      both[i] = sum | (sum + lower) << 16;
      sum += lower + upper;
      large |= (lower > large_bucket) | (upper > large_bucket);
    }
    std::uint32_t const before = team::template exclusive_sum<std::uint32_t>(sum, s.collective);
#pragma unroll
    for (unsigned i = 0; i < words_each; ++i) s.begins[threadIdx.x * words_each + i] = both[i] + before * 0x10001u;
    if (threadIdx.x == 0) s.begins[words] = count;
    return __syncthreads_or(large);
  }

  /// Returns the rank in the part of the key at `at`, among the keys [begin, end) of its bucket.
  [[nodiscard]] __device__ static std::uint32_t rank(K key, std::uint32_t at, std::uint32_t begin, std::uint32_t end) {
    std::uint32_t result = begin;
    for (std::uint32_t i = begin; i < end; ++i) {
      K const other = shared().keys[i];
      result += (other < key) | ((other == key) & (i < at));
    }
    return result;
  }

  __device__ void write(std::uint32_t first, std::uint32_t count) const {
#pragma unroll 4
    for (std::uint32_t at = threadIdx.x; at < count; at += threads) {
      K const key = shared().keys[at];
      std::uint32_t const b = bucket(key), begin = first_place(b), end = first_place(b + 1);
      work.keys[first + (end - begin == 1 ? at : rank(key, at, begin, end))] = work.code.decode(key);
    }
  }
  /// The same if buckets have many keys: those of equal ones are in order.
  __device__ void write_large(std::uint32_t first, std::uint32_t count) const {
    part_storage& s = shared();
    if (threadIdx.x < buckets / 32) s.unequal[threadIdx.x] = 0;
    __syncthreads();
    for (std::uint32_t at = threadIdx.x; at < count; at += threads) {
      std::uint32_t const b = bucket(s.keys[at]);
      if (s.keys[at] != s.keys[first_place(b)]) atomicOr(&s.unequal[b / 32], 1u << b % 32);
    }
    __syncthreads();
    for (std::uint32_t at = threadIdx.x; at < count; at += threads) {
      K const key = s.keys[at];
      std::uint32_t const b = bucket(key);
      bool const unequal = (s.unequal[b / 32] >> b % 32 & 1) != 0;
      work.keys[first + (unequal ? rank(key, at, first_place(b), first_place(b + 1)) : at)] = work.code.decode(key);
    }
  }
};

template <class K, class Map>
__global__ void __launch_bounds__(even_sizes<K>::threads, sizeof(K) == 4 ? 3 : 2) sort_even_parts(even_work<K> work) {
  wait_for_previous();
  if (work.overflows[0] != 0 || work.overflows[1] != 0) return;
  even_part_sort<K, Map>(work).sort_all();
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
/// @param from    the keys, which may be `keys`; both at multiples of 16 bytes
/// @param curved  the numbers are smooth, and a curve is to make them even
/// @returns false if they are not, or a curve would need too much room. Then `keys` has the keys, in any order, if it is `from`
/// @throws ordo::out_of_memory  before anything has changed
template <class B, class K>
bool sort_as_even_keys(B& backend, K const* from, K* keys, std::size_t n, even_numbers<K> numbers, key_code<K> code,
                       bool curved = false) {
  using sizes = even_sizes<K>;
  even_plan<K> const plan(n, curved);
  if (plan.second_room > sizes::capacity) return false;  // a curve of a small sample leaves too much to spare
  auto const memory = backend.template buffer<char>(plan.bytes());
  cuda_detail::parts taken(memory.data());
  std::uint32_t const parts = plan.parts();
  K* const away = taken.take<K>(plan.away);
  K* const beyond = taken.take<K>(plan.beyond());
  auto* const lists = taken.take<std::uint32_t>(plan.list_words());
  std::uint32_t *const bins = lists + 4, *const regions = bins + plan.curve_words(), *const counts = regions + plan.regions();
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
                          counts + 2 * std::size_t{parts},
                          bins,
                          bins + sizes::bins};
  ORDO_CUDA(cudaMemsetAsync(lists, 0, (plan.list_words() - parts) * sizeof(std::uint32_t), backend.stream()));
  auto& kernels = backend.kernels();
  if (curved) {
    std::size_t const sample = sizes::curve_sample(n);
    constexpr std::size_t keys_a_thread = 16;
    launch<count_curve_sample<K>>(kernels, unsigned(sample / (sizes::threads * keys_a_thread) + 1), sizes::threads,
                                  sizes::bins * sizeof(std::uint32_t), work, sample);
    launch<make_curve<K>>(kernels, 1, sizes::threads, sizeof(typename sizes::team::template storage<std::uint32_t>), work,
                          std::uint32_t(sample), float(sizes::curve_excess(n)));
  }
  unsigned const tiles = (plan.first_room + sizes::tile - 1) / sizes::tile * plan.regions();
  with_map(work, [&]<class Map>(Map) {
    launch<partition_even_keys<K, Map>>(kernels, unsigned((n + sizes::tile - 1) / sizes::tile), sizes::threads,
                                        sizeof(typename sizes::tile_storage), work);
    launch<partition_even_regions<K, Map>>(kernels, tiles, sizes::threads, sizeof(typename sizes::tile_storage), work);
    launch<place_even_parts<K>>(kernels, 1, 1024, sizeof(typename group<1024>::template storage<std::uint32_t>), work);
    launch<sort_even_parts<K, Map>>(kernels, parts, sizes::threads, sizeof(typename sizes::part_storage), work);
  });
  std::uint32_t overflows[2] = {};
  auto to = std::span<std::uint32_t>(overflows);
  backend.download(std::span<std::uint32_t const>(lists, 2), to);
  if (overflows[0] == 0 && overflows[1] == 0) return true;
  if (from == keys && overflows[0] == 0) launch<gather_even_regions<K>>(kernels, plan.regions(), sizes::threads, 0, work);
  return false;
}

}  // namespace ordo::inline v0::cuda_detail
