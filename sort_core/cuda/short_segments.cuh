#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/backend.hpp"
#include "sort_core/cuda/group.cuh"
#include "sort_core/cuda/segment_data.cuh"
#include "sort_core/cuda/short_sort.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// Runs of short segments, one behind the other: a warp copies what lies between the first and the last into shared memory,
// sorts it there and copies it back in order, so that reads and writes of device memory are coalesced, whatever the lengths.
// Warps never wait for each other: while some read or write, others sort. Other runs are left to the kernel that plans.
namespace ordo::cuda_detail {

/// Runs of `segments` segments each that are left. None is, if all segments are known to be short.
struct planned_runs {
  std::uint32_t* numbers;  // null: all
  unsigned long long* count;
  unsigned segments;
};

template <class K, class V, bool Computed>
constexpr bool has_short_sort = sizeof(K) == 4 && value_bytes<V> <= 8 && !Computed;

/// What copy_to_shared(shared, from, n) makes of shared: item i comes to i of it.
template <class T>
__device__ T* place_in_shared(T* shared, T const* from) {
  return shared + reinterpret_cast<std::uintptr_t>(from) / sizeof(T) % (16 / sizeof(T));
}

/// Begins to copy [0, n) of an array to shared memory, 16 bytes a lane; at the end, an item a lane. The 16 bytes that hold the
/// first item are read whole.
template <class T>
__device__ void copy_to_shared(T* shared, T const* from, unsigned n) {
  constexpr unsigned width = 16 / sizeof(T), step = warp_threads * width, at_once = 4;
  unsigned const skew = unsigned(place_in_shared(shared, from) - shared), end = skew + n, whole = end / width * width;
  T const* const source = from - skew;
  unsigned i = lane_of() * width;
#pragma unroll 1
  for (; i - lane_of() * width + at_once * step <= whole; i += at_once * step) {
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) copy_async_16(shared + i + j * step, source + i + j * step);
  }
#pragma unroll 1
  for (; i < whole; i += step) copy_async_16(shared + i, source + i);
  if (whole + lane_of() < end) copy_async(shared + whole + lane_of(), source + whole + lane_of());
}

/// Copies the n items back in order, and says where heads are.
template <class K, class V, class Keys, class Offset>
__device__ __forceinline__ void store_short(segment_data<K, V, Keys> const& data, short_storage<K, V, Offset> const& shared,
                                            K const* keys, V const* values, std::uint64_t to, unsigned n) {
  using storage = short_storage<K, V, Offset>;
  constexpr unsigned at_once = 8, step = at_once * warp_threads;
  K* key = data.keys.keys + to + lane_of();
  V* value = data.values;
  if constexpr (!storage::alone) value += to + lane_of();
  auto const* order = shared.order() + lane_of();
  auto const store = [&](unsigned i, auto ranked) {
    if constexpr (storage::alone) {
      key[i] = data.keys.code.decode(ranked);
    } else {
      key[i] = keys[ranked];
      value[i] = values[ranked];
    }
  };
  auto const advance = [&](unsigned items) {
    key += items;
    if constexpr (!storage::alone) value += items;
  };
  unsigned i = 0;
#pragma unroll 1
  for (; i + step <= n; i += step) {
    typename storage::ranked ranked[at_once];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) ranked[j] = order[storage::padded(j * warp_threads)];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) store(j * warp_threads, ranked[j]);
    order += storage::padded(step);
    advance(step);
  }
#pragma unroll 1
  for (i += lane_of(); i < n; i += warp_threads) {
    store(0, shared.order()[storage::padded(i)]);
    advance(warp_threads);
  }
}

/// Writes the heads of segments [first, last), of n items in all.
template <class K, class V, class Offset>
__device__ void store_heads(std::uint8_t* heads, short_storage<K, V, Offset> const& shared, K const* keys, Offset const* begins,
                            unsigned first, unsigned last, unsigned n) {
  using storage = short_storage<K, V, Offset>;
  auto const key = [&](unsigned i) {
    auto const ranked = shared.order()[storage::padded(i)];
    return storage::alone ? K(ranked) : keys[ranked];
  };
#pragma unroll 1
  for (unsigned i = lane_of(); i < n; i += warp_threads) heads[i] = i == 0 || key(i) != key(i - 1);
  __syncwarp();
#pragma unroll 1
  for (unsigned s = first + lane_of(); s < last; s += warp_threads)
    if (begins[s] != begins[s + 1]) heads[begins[s] - begins[first]] = 1;
}

/// `Floats`: of keys that are floats, with values. A kernel of its own, as a multiprocessor holds little code at a time.
template <class K, class V, class Keys, class Offset, bool Floats>
__global__ void __launch_bounds__(tuning::short_threads, tuning::short_resident)
    sort_short_segments(segment_data<K, V, Keys> data, segment_list<Offset> segments, planned_runs left,
                        typename short_storage<K, V, Offset>::layout where) {
  wait_for_previous();
  using storage = short_storage<K, V, Offset>;
  constexpr unsigned warps = tuning::short_threads / warp_threads;
  storage const shared(where, threadIdx.x / warp_threads);
  std::size_t const count = segments.size(), uniform = segments.uniform_length;
  unsigned const lane = lane_of(), segments_per_run = where.segments;
  std::size_t const step = std::size_t(gridDim.x) * warps;
  Offset const* const given = segments.begins.data();
  bool const chained = segments.ends.data() == given + 1;
  auto const planned_of = [&](std::size_t run) {
    return unsigned(count - run * segments_per_run < segments_per_run ? count - run * segments_per_run : segments_per_run);
  };
  auto const load_begins = [&](std::size_t run) {
    if (uniform == 0 && run * segments_per_run < count)
      copy_to_shared(shared.begins(), given + run * segments_per_run, planned_of(run) + chained);
  };
  std::size_t run = std::size_t(blockIdx.x) * warps + threadIdx.x / warp_threads;
  if (uniform != 0)
#pragma unroll 1
    for (unsigned s = lane; s <= segments_per_run; s += warp_threads) shared.begins()[s] = Offset(s * uniform);
  load_begins(run);
  for (; run * segments_per_run < count; run += step) {
    std::size_t const opens = run * segments_per_run;
    unsigned const planned = planned_of(run);
    wait_for_copies();
    __syncwarp();
    Offset* const begins = uniform == 0 ? place_in_shared(shared.begins(), given + opens) : shared.begins();
    bool suits = uniform <= where.longest;
    if (uniform == 0 && !chained) {
      Offset const* const ends = segments.ends.data() + opens;
      if (lane == 0) begins[planned] = ends[planned - 1];
      __syncwarp();
#pragma unroll 1
      for (unsigned s = lane; s < planned; s += warp_threads) suits &= ends[s] == begins[s + 1];
    }
    extremes<unsigned> lengths{~0u, 0};
#pragma unroll 1
    for (unsigned s = lane; s < planned; s += warp_threads) {
      Offset const length = begins[s + 1] - begins[s];
      suits &= length <= where.longest;
      lengths.least = min(lengths.least, unsigned(length));
      lengths.greatest = max(lengths.greatest, unsigned(length));
    }
    suits = __all_sync(all_lanes, suits);
    // As many at once as the shared memory holds.
    auto const begin_of = [&](unsigned s) { return unsigned(begins[min(s, planned)]); };
    unsigned piece = segments_per_run;
#pragma unroll 1
    for (; suits && piece * warp_threads >= segments_per_run; piece /= 2) {
      unsigned const s = lane * piece;
      if (__all_sync(all_lanes, s >= planned || begin_of(s + piece) - begin_of(s) <= where.items)) break;
    }
    if (!suits || piece * warp_threads < segments_per_run) {
      if (lane == 0) left.numbers[atomicAdd(left.count, 1ull)] = std::uint32_t(run);
      __syncwarp();
      load_begins(run + step);
      continue;
    }
    lengths = warp_extremes(lengths);
    std::uint64_t const start = uniform == 0 ? std::uint64_t(begins[0]) : opens * uniform;
    if (lengths.greatest < 2) {
      unsigned const n = begin_of(planned) - begin_of(0);
#pragma unroll 1
      for (unsigned i = lane; data.heads && i < n; i += warp_threads) data.heads[start + i] = 1;
      __syncwarp();
      load_begins(run + step);
      continue;
    }
    bool const alike = short_class_of(lengths.least) == short_class_of(lengths.greatest);
    unsigned const lanes_each = alike ? tuning::short_lanes(lengths.greatest) : 0;
    // Ask for the offsets of this warp's next run.
    constexpr unsigned of_sector = sector / sizeof(Offset);
    if (std::size_t const s = opens + step * segments_per_run + lane * of_sector;
        uniform == 0 && lane * of_sector < segments_per_run && s < count)
      prefetch(given + s);
#pragma unroll 1
    for (unsigned first = 0; first < planned; first += piece) {
      unsigned const last = min(first + piece, planned), n = begin_of(last) - begin_of(first);
      std::uint64_t const to = start + (begin_of(first) - begin_of(0));
      K const* const keys = opaque_shared(place_in_shared(shared.keys(), data.keys.keys + to));
      copy_to_shared(shared.keys(), data.keys.keys + to, n);
      V const* values = nullptr;
      if constexpr (!storage::alone) {
        values = opaque_shared(place_in_shared(shared.values(), data.values + to));
        copy_to_shared(shared.values(), data.values + to, n);
      }
      wait_for_copies();
      __syncwarp();
      sort_short_run<Floats>(data.keys.code, shared, keys, begins, first, last, lanes_each);
      if (data.heads) store_heads(data.heads + to, shared, keys, begins, first, last, n);
      if (last == planned) {
        __syncwarp();
        load_begins(run + step);
      }
      store_short(data, shared, keys, values, to, n);
      __syncwarp();
    }
  }
}

}  // namespace ordo::cuda_detail
