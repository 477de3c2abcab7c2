#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/backend.hpp"
#include "sort_core/cuda/group.cuh"
#include "sort_core/cuda/segment_data.cuh"
#include "sort_core/cuda/small.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// Runs of segments of a few items each, one behind the other: a block copies what lies between the first and the last into
// shared memory, each thread sorts a segment in its registers, and the block copies all back. Reads and writes of device
// memory are then coalesced, whatever the lengths. Other runs are left to the kernel that plans.
namespace ordo::detail {

/// Runs of tuning::planned segments that are left.
struct planned_runs {
  std::uint32_t* numbers;  // null: all runs
  unsigned long long* count;
};

template <class K, class V, class Keys>
constexpr bool has_short_sort = sizeof(K) == 4 && value_bytes<V> <= 8 && !Keys::computed;

template <class K, class V>
struct short_storage {
  static constexpr unsigned threads = 256, longest = 16, items = threads * longest, rounds = tuning::planned / threads;
  /// A pad after each 32 keeps threads, one segment each, out of each other's banks.
  __device__ static unsigned padded(unsigned i) { return i + i / 32; }
  static constexpr unsigned size = (items + 4) + (items + 4) / 32;
  std::uint16_t begins[tuning::planned + 1];  // of segments, from the run's first item on; then the end
  alignas(16) K keys[size];
  std::conditional_t<value_bytes<V> == 0, K[1], V[size]> values;
};

/// [0, n) of an array in device memory, as it comes to shared memory and goes back: 16 bytes at a time, so that item i lies
/// at padded(i + skew) there.
template <class T>
struct copied_run {
  static constexpr unsigned width = 16 / sizeof(T);
  struct alignas(16) vector {
    T part[width];
  };
  T* memory;
  unsigned n, skew;

  __device__ copied_run(T* array, unsigned count)
      : memory(array), n(count), skew(unsigned(reinterpret_cast<std::uintptr_t>(array) / sizeof(T)) % width) {}
  [[nodiscard]] __device__ unsigned vectors() const { return (skew + n + width - 1) / width; }

  [[nodiscard]] __device__ vector load(unsigned v) const {
    vector x;
    if (v >= vectors()) return x;
    if (whole(v)) return *at(v);
#pragma unroll
    for (unsigned e = 0; e < width; ++e) {
      unsigned const i = v * width + e - skew;
      if (i < n) x.part[e] = memory[i];
    }
    return x;
  }
  __device__ void stage(unsigned v, vector const& x, T* shared) const {
    if (v >= vectors()) return;
#pragma unroll
    for (unsigned e = 0; e < width; ++e) shared[place(v) + e] = x.part[e];
  }
  __device__ void store(unsigned v, T const* shared) const {
    vector x;
#pragma unroll
    for (unsigned e = 0; e < width; ++e) x.part[e] = shared[place(v) + e];
    if (whole(v)) {
      *at(v) = x;
      return;
    }
#pragma unroll
    for (unsigned e = 0; e < width; ++e) {
      unsigned const i = v * width + e - skew;
      if (i < n) memory[i] = x.part[e];
    }
  }

 private:
  /// Does vector v hold items of the run only?
  [[nodiscard]] __device__ bool whole(unsigned v) const {
    return v * width >= skew && (v + 1) * width <= skew + n;
  }
  [[nodiscard]] __device__ vector* at(unsigned v) const {
    return reinterpret_cast<vector*>(memory - skew) + v;
  }
  __device__ static unsigned place(unsigned v) {
    return v * width + v * width / 32;
  }
};

/// What is compared: the code, and below it the position, so that the sort is stable. Keys that move nothing need no position.
template <class V>
using short_word = std::conditional_t<value_bytes<V> == 0, std::uint32_t, unsigned long long>;

/// Sorts the segment of n <= Items items that begins at `base` in shared memory, its values at `value_base`.
template <unsigned Items, class K, class V, class Keys>
__device__ void sort_short(segment_data<K, V, Keys> const& data, short_storage<K, V>& shared, unsigned base,
                           unsigned value_base, unsigned n, std::uint64_t begin) {
  using storage = short_storage<K, V>;
  using word = short_word<V>;
  word x[Items];
#pragma unroll
  for (unsigned i = 0; i < Items; ++i) {
    x[i] = word(~word{0});
    if (i < n) {
      K const code = data.keys.code_of(shared.keys[storage::padded(base + i)]);
      if constexpr (value_bytes<V> == 0)
        x[i] = code;
      else
        x[i] = word(code) << 32 | i;
    }
  }
  sort_registers(x);
  // Addresses are worked out once more: there are no registers to keep them in.
  asm volatile("" : "+r"(base), "+r"(value_base), "+r"(n));
  auto const code_of = [](word w) { return value_bytes<V> == 0 ? K(w) : K(std::uint64_t(w) >> 32); };
#pragma unroll
  for (unsigned i = 0; i < Items; ++i)
    if (i < n) shared.keys[storage::padded(base + i)] = data.keys.code.decode(code_of(x[i]));
  if (data.heads) {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < n) data.heads[begin + i] = i == 0 || code_of(x[i]) != code_of(x[i == 0 ? 0 : i - 1]);
  }
  if constexpr (value_bytes<V> != 0) {
    V value[Items];
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < n) value[i] = shared.values[storage::padded(value_base + unsigned(x[i]))];
    asm volatile("" : "+r"(value_base), "+r"(n));
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < n) shared.values[storage::padded(value_base + i)] = value[i];
  }
}

template <class K, class V, class Keys, class Offset>
__global__ void __launch_bounds__(256, value_bytes<V> == 0 ? 4 : 3)
    sort_short_segments(segment_data<K, V, Keys> data, segment_list<Offset> segments, planned_runs left) {
  using storage = short_storage<K, V>;
  constexpr unsigned threads = storage::threads, rounds = storage::rounds;
  extern __shared__ __align__(16) unsigned char dynamic_memory[];
  storage& shared = *reinterpret_cast<storage*>(dynamic_memory);
  std::size_t const count = segments.size();
  Offset const* const begins = segments.begins.data();
  Offset const* const ends = segments.ends.data();
  std::size_t const uniform = segments.uniform_length;
  bool const chained = ends == begins + 1;
  for (std::size_t run = blockIdx.x; run * tuning::planned < count; run += gridDim.x) {
    std::size_t const opens = run * tuning::planned;
    unsigned const planned = unsigned(count - opens < tuning::planned ? count - opens : tuning::planned);
    std::uint64_t const start = segments.begin(opens);
    bool suits = uniform <= storage::longest;
#pragma unroll
    for (unsigned j = 0; j < rounds; ++j) {
      unsigned const s = j * threads + threadIdx.x;
      unsigned begin = s * unsigned(uniform), end = begin + unsigned(uniform);
      if (s < planned && uniform == 0) {
        Offset const from = begins[opens + s], to = ends[opens + s];
        suits &= Offset(to - from) <= storage::longest && (chained || s + 1 == planned || begins[opens + s + 1] == to);
        begin = unsigned(from - Offset(start));
        end = unsigned(to - Offset(start));
      }
      // Runs that suit are short.
      if (s < planned) shared.begins[s] = std::uint16_t(begin);
      if (s + 1 == planned) shared.begins[planned] = std::uint16_t(end);
    }
    if (!__syncthreads_and(suits)) {
      if (threadIdx.x == 0) left.numbers[atomicAdd(left.count, 1ull)] = std::uint32_t(run);
      continue;
    }
    // Ask for the offsets of this block's next run.
    constexpr unsigned of_sector = sector / sizeof(Offset);
    if (std::size_t const s = (run + gridDim.x) * tuning::planned + threadIdx.x * of_sector;
        uniform == 0 && threadIdx.x * of_sector < tuning::planned && s < count)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(begins + s));
    // As many rounds at once as the shared memory holds.
    auto const begin_of = [&](unsigned s) { return unsigned(shared.begins[s < planned ? s : planned]); };
    auto const fits = [&](unsigned together) {
      bool all = true;
      for (unsigned s = 0; s < planned; s += together) all &= begin_of(s + together) - begin_of(s) <= storage::items;
      return all;
    };
    unsigned const together = fits(tuning::planned)       ? tuning::planned
                              : fits(tuning::planned / 2) ? tuning::planned / 2
                                                          : threads;
    for (unsigned round = 0; round < planned; round += together) {
      unsigned const first = begin_of(round), n = begin_of(round + together) - first;
      copied_run<K> const keys(data.keys.keys + start + first, n);
      using value = std::conditional_t<value_bytes<V> == 0, K, V>;
      copied_run<value> const values(value_bytes<V> == 0 ? nullptr : reinterpret_cast<value*>(data.values) + start + first,
                                     value_bytes<V> == 0 ? 0 : n);
      constexpr unsigned at_once = 2;
      for (unsigned v = threadIdx.x; v < keys.vectors() || v < values.vectors(); v += at_once * threads) {
        typename copied_run<K>::vector key[at_once];
        typename copied_run<value>::vector value[at_once];
#pragma unroll
        for (unsigned j = 0; j < at_once; ++j) {
          key[j] = keys.load(v + j * threads);
          if constexpr (value_bytes<V> != 0) value[j] = values.load(v + j * threads);
        }
#pragma unroll
        for (unsigned j = 0; j < at_once; ++j) {
          keys.stage(v + j * threads, key[j], shared.keys);
          if constexpr (value_bytes<V> != 0) values.stage(v + j * threads, value[j], shared.values);
        }
      }
      __syncthreads();
#pragma unroll 1
      for (unsigned s = round + threadIdx.x; s - threadIdx.x < round + together; s += threads) {
        unsigned const begin = begin_of(s), length = begin_of(s + 1) - begin;
        unsigned const base = begin - first + keys.skew, value_base = begin - first + values.skew;
        unsigned const widest = __reduce_max_sync(all_lanes, length);
        auto const sort = [&]<unsigned Items>() { sort_short<Items>(data, shared, base, value_base, length, start + begin); };
        if (widest <= 2)
          sort.template operator()<2>();
        else if (widest <= 4)
          sort.template operator()<4>();
        else if (widest <= 8)
          sort.template operator()<8>();
        else if (widest <= 12)
          sort.template operator()<12>();
        else
          sort.template operator()<16>();
      }
      __syncthreads();
      for (unsigned v = threadIdx.x; v < keys.vectors(); v += threads) keys.store(v, shared.keys);
      if constexpr (value_bytes<V> != 0)
        for (unsigned v = threadIdx.x; v < values.vectors(); v += threads) values.store(v, shared.values);
      __syncthreads();
    }
  }
}

}  // namespace ordo::detail
