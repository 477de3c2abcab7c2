#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/backend.hpp"
#include "sort_core/cuda/kernels/small_layout.cuh"
#include "sort_core/cuda/kernels/small_sort.cuh"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// Runs of adjacent small segments. A warp copies the items between the first and the last into shared memory, sorts the
// segments there and copies the items back in order, so that accesses to device memory are coalesced for any lengths. Warps
// never wait for each other: while some read or write, others sort. All other runs are left to the kernel that plans. There may
// be holes between the segments if these are not much larger (small_layout.cuh).
namespace ordo::inline v0::cuda_detail {

/// The runs of `segments` segments each that are left. None are if all segments are known to be small.
struct planned_runs {
  std::uint32_t* numbers;  // null means all
  unsigned long long* count;
  unsigned segments;
};

template <class K, class V, bool Computed>
constexpr bool has_small_sort = sizeof(K) == 4 && value_bytes<V> <= 8 && !Computed;

/// Returns `shared` as copy_to_shared(shared, from, n) fills it: item i is at index i of the result.
template <class T>
__device__ T* place_in_shared(T* shared, T const* from) {
  return shared + reinterpret_cast<std::uintptr_t>(from) / sizeof(T) % (16 / sizeof(T));
}

/// Starts copying [0, n) of an array to shared memory, 16 bytes per lane and at the end one item per lane. The 16 bytes that
/// hold the first item are read as a whole.
template <class T>
__device__ void copy_to_shared(T* shared, T const* from, unsigned n) {
  constexpr unsigned width = 16 / sizeof(T), step = warp_threads * width, at_once = 4;
  unsigned const skew = unsigned(place_in_shared(shared, from) - shared), end = skew + n, whole = end / width * width;
  T const* const source = from - skew;
  unsigned i = lane_id() * width;
#pragma unroll 1
  for (; i - lane_id() * width + at_once * step <= whole; i += at_once * step) {
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) copy_async_16(shared + i + j * step, source + i + j * step);
  }
#pragma unroll 1
  for (; i < whole; i += step) copy_async_16(shared + i, source + i);
  if (whole + lane_id() < end) copy_async(shared + whole + lane_id(), source + whole + lane_id());
}

/// Does the same without the 16-byte units that hold no item of a segment, by the result of items_in_segments().
template <class T>
__device__ __forceinline__ void copy_inside_to_shared(T* shared, T const* from, unsigned n, unsigned inside) {
  constexpr unsigned width = 16 / sizeof(T), step = warp_threads * width, at_once = 4;
  unsigned const skew = unsigned(place_in_shared(shared, from) - shared), end = skew + n, whole = end / width * width;
  T const* const source = from - skew;
  unsigned const skewed = shifted_items(inside, skew), begin = lane_id() * width, own = ((1u << width) - 1) << begin % 32;
#pragma unroll 1
  for (unsigned i = begin; i - begin < whole; i += at_once * step) {
    bool holds_items[at_once];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j)
      holds_items[j] = (__shfl_sync(all_lanes, skewed, (i + j * step) / 32) & own) != 0 && i + j * step < whole;
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j)
      if (holds_items[j]) copy_async_16(shared + i + j * step, source + i + j * step);
  }
  if (whole + lane_id() < end) copy_async(shared + whole + lane_id(), source + whole + lane_id());
}

/// Copies the n items back in order; if there are holes, only those inside segments.
template <bool Holes, class K, class V, class Keys, class Offset>
__device__ __forceinline__ void store_small(segment_data<K, V, Keys> const& data, small_storage<K, V, Offset> const& shared,
                                            K const* keys, V const* values, std::uint64_t to, unsigned n, unsigned inside) {
  using storage = small_storage<K, V, Offset>;
  constexpr unsigned at_once = 8, step = at_once * warp_threads;
  K* key = data.keys.keys + to + lane_id();
  V* value = data.values;
  if constexpr (!storage::alone) value += to + lane_id();
  auto const* order = shared.order() + lane_id();
  auto const store = [&](unsigned i, auto ranked, bool is_inside) {
    if constexpr (storage::alone) {
      if (is_inside) key[i] = data.keys.code.decode(ranked);
    } else {
      // In a hole, `ranked` is undefined.
      unsigned const from = is_inside ? ranked : 0;
      K const stored_key = keys[from];
      V const stored_value = values[from];
      if (is_inside) key[i] = stored_key;
      if (is_inside) value[i] = stored_value;
    }
  };
  auto const advance = [&](unsigned items) {
    key += items;
    if constexpr (!storage::alone) value += items;
  };
  auto const is_inside = [&](unsigned word) { return !Holes || (__shfl_sync(all_lanes, inside, word) >> lane_id() & 1) != 0; };
  unsigned i = 0;
#pragma unroll 1
  for (; i + step <= n; i += step) {
    typename storage::ranked ranked[at_once];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) ranked[j] = order[storage::padded(j * warp_threads)];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) store(j * warp_threads, ranked[j], is_inside(i / warp_threads + j));
    order += storage::padded(step);
    advance(step);
  }
  if constexpr (Holes) {
#pragma unroll 1
    for (; i < n; i += warp_threads) {
      store(0, shared.order()[storage::padded(i + lane_id())], is_inside(i / warp_threads));
      advance(warp_threads);
    }
  } else {
#pragma unroll 1
    for (i += lane_id(); i < n; i += warp_threads) {
      store(0, shared.order()[storage::padded(i)], true);
      advance(warp_threads);
    }
  }
}

/// Writes the heads of segments [first, last), which span n items.
template <bool Holes, class K, class V, class Offset, class Places>
__device__ void store_heads(std::uint8_t* heads, small_storage<K, V, Offset> const& shared, K const* keys, Places const& places,
                            unsigned first, unsigned last, unsigned n, unsigned inside) {
  using storage = small_storage<K, V, Offset>;
  auto const key = [&](unsigned i) {
    auto const ranked = shared.order()[storage::padded(i)];
    return storage::alone ? K(ranked) : keys[ranked];
  };
  if constexpr (Holes) {
    unsigned const after = shifted_items(inside, 1);  // items whose predecessor is inside
#pragma unroll 1
    for (unsigned i = 0; i < n; i += warp_threads) {
      bool const is_inside = __shfl_sync(all_lanes, inside, i / warp_threads) >> lane_id() & 1;
      bool const is_behind = __shfl_sync(all_lanes, after, i / warp_threads) >> lane_id() & 1;
      unsigned const at = i + lane_id();
      if (is_inside) heads[at] = !is_behind || key(at) != key(at - 1);
    }
  } else {
#pragma unroll 1
    for (unsigned i = lane_id(); i < n; i += warp_threads) heads[i] = i == 0 || key(i) != key(i - 1);
  }
  __syncwarp();
#pragma unroll 1
  for (unsigned s = first + lane_id(); s < last; s += warp_threads)
    if (places.length(s) != 0) heads[places.begin(s) - places.begin(first)] = 1;
}

/// Writes the heads of `count` segments from number `opens` on, none larger than one item.
template <bool Holes, class Offset>
__device__ void write_single_heads(std::uint8_t* heads, segment_list<Offset> const& segments, std::uint64_t start,
                                   std::size_t opens, unsigned count, small_positions<Offset, Holes> const& places) {
  if constexpr (Holes) {
#pragma unroll 1
    for (unsigned s = lane_id(); s < count; s += warp_threads)
      if (places.length(s) != 0) heads[segments.begins.data()[opens + s]] = 1;
  } else {
    unsigned const n = places.begin(count) - places.begin(0);
#pragma unroll 1
    for (unsigned i = lane_id(); i < n; i += warp_threads) heads[start + i] = 1;
  }
}

/// Floats: the keys are floating-point and have values. Holes: segments have ends of their own; else each ends where the next
/// begins. These are separate kernels because a multiprocessor's instruction cache is small.
template <class K, class V, class Keys, class Offset, bool Floats, bool Holes>
__global__ void __launch_bounds__(tuning::small_threads, tuning::small_resident)
    sort_small_segments(segment_data<K, V, Keys> data, segment_list<Offset> segments, planned_runs left,
                        typename small_storage<K, V, Offset>::layout where) {
  wait_for_previous();
  using storage = small_storage<K, V, Offset>;
  constexpr unsigned warps = tuning::small_threads / warp_threads;
  storage const shared(where, threadIdx.x / warp_threads);
  std::size_t const count = segments.size(), uniform = segments.uniform_length;
  unsigned const lane = lane_id(), segments_per_run = where.segments;
  std::size_t const step = std::size_t(gridDim.x) * warps;
  Offset const* const given = segments.begins.data();
  auto const planned_at = [&](std::size_t run) {
    return unsigned(count - run * segments_per_run < segments_per_run ? count - run * segments_per_run : segments_per_run);
  };
  auto const load_begins = [&](std::size_t run) {
    if (uniform == 0 && run * segments_per_run < count)
      copy_to_shared(shared.begins(), given + run * segments_per_run, planned_at(run) + !Holes);
  };
  std::size_t run = std::size_t(blockIdx.x) * warps + threadIdx.x / warp_threads;
  if (uniform != 0)
#pragma unroll 1
    for (unsigned s = lane; s <= segments_per_run; s += warp_threads) shared.begins()[s] = Offset(s * uniform);
  load_begins(run);
  for (; run * segments_per_run < count; run += step) {
    std::size_t const opens = run * segments_per_run;
    unsigned const planned = planned_at(run);
    wait_for_copies();
    __syncwarp();
    Offset* const begins = uniform == 0 ? place_in_shared(shared.begins(), given + opens) : shared.begins();
    std::uint64_t const start = uniform == 0 ? std::uint64_t(begins[0]) : opens * uniform;
    small_positions<Offset, Holes> const places{begins};
    small_scan seen;
    if constexpr (Holes) {
      seen = pack_places(begins, segments.ends.data() + opens, planned, where.longest);
    } else {
      seen.fits = uniform <= where.longest;
#pragma unroll 1
      for (unsigned s = lane; s < planned; s += warp_threads)
        seen.at(Offset(begins[s + 1] - begins[s]), Offset{0}, where.longest);
    }
    bool suits = __all_sync(all_lanes, seen.fits);
    auto const lengths = warp_extremes(seen.lengths);
    if (suits && lengths.greatest < 2) {
      // Single items are sorted, wherever they are.
      if (data.heads) write_single_heads<Holes>(data.heads, segments, start, opens, planned, places);
      __syncwarp();
      load_begins(run + step);
      continue;
    }
    auto const items_between = [&](unsigned first, unsigned last) { return places.end(last - 1) - places.begin(first); };
    if constexpr (Holes) {
      unsigned const items = __reduce_add_sync(all_lanes, seen.items), span = items_between(0, planned);
      suits = suits && __all_sync(all_lanes, seen.near) && (span <= where.items || span <= tuning::small_max_span * items);
    }
    // As many segments at once as fit in shared memory.
    unsigned piece = segments_per_run;
#pragma unroll 1
    for (; suits && piece * warp_threads >= segments_per_run; piece /= 2) {
      unsigned const s = lane * piece;
      if (__all_sync(all_lanes, s >= planned || items_between(s, min(s + piece, planned)) <= where.items)) break;
    }
    if (!suits || piece * warp_threads < segments_per_run) {
      if (lane == 0) left.numbers[atomicAdd(left.count, 1ull)] = std::uint32_t(run);
      __syncwarp();
      load_begins(run + step);
      continue;
    }
    bool const alike = small_class(lengths.smallest) == small_class(lengths.greatest);
    unsigned const lanes_each = alike ? tuning::small_lanes(lengths.greatest) : 0;
    // Prefetches the offsets of this warp's next run.
    constexpr unsigned of_sector = sector / sizeof(Offset);
    if (std::size_t const s = opens + step * segments_per_run + lane * of_sector;
        uniform == 0 && lane * of_sector < segments_per_run && s < count) {
      prefetch(given + s);
      if constexpr (Holes) prefetch(segments.ends.data() + s);
    }
#pragma unroll 1
    for (unsigned first = 0; first < planned; first += piece) {
      unsigned const last = min(first + piece, planned), n = items_between(first, last);
      std::uint64_t const to = start + (places.begin(first) - places.begin(0));
      unsigned inside = 0;
      // The memory of order() is free until the sort.
      if constexpr (Holes) inside = items_in_segments(reinterpret_cast<unsigned*>(shared.order()), places, first, last);
      auto const copy = [&](auto* into, auto const* from) {
        if constexpr (Holes)
          copy_inside_to_shared(into, from, n, inside);
        else
          copy_to_shared(into, from, n);
      };
      K const* const keys = opaque_shared(place_in_shared(shared.keys(), data.keys.keys + to));
      copy(shared.keys(), data.keys.keys + to);
      V const* values = nullptr;
      if constexpr (!storage::alone) {
        values = opaque_shared(place_in_shared(shared.values(), data.values + to));
        copy(shared.values(), data.values + to);
      }
      wait_for_copies();
      __syncwarp();
      sort_small_run<Floats>(data.keys.code, shared, keys, places, first, last, lanes_each);
      if (data.heads) store_heads<Holes>(data.heads + to, shared, keys, places, first, last, n, inside);
      if (last == planned) {
        __syncwarp();
        load_begins(run + step);
      }
      store_small<Holes>(data, shared, keys, values, to, n, inside);
      __syncwarp();
    }
  }
}

}  // namespace ordo::inline v0::cuda_detail
