#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/backend.hpp"
#include "sort_core/cuda/kernels/block_sort.cuh"
#include "sort_core/cuda/kernels/small_segments.cuh"
#include "sort_core/cuda/kernels/warp_sort.cuh"
#include "sort_core/cuda/primitives/merging.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// The first kernel of a segmented sort. Segments of one item are finished, tiny ones are sorted at once, and all others are
// added to the list of their class for later kernels. The lists and their lengths stay on the device.
namespace ordo::inline v0::cuda_detail {

struct large_segment {
  std::uint64_t begin, length;
};

/// The lists for the segments that the plan does not sort.
struct plan_lists {
  unsigned classes;  // classes for which blocks of this GPU have the shared memory
  unsigned used;     // a bit for each class in use; always includes the last of those below `classes`
  segment_queue listed[tuning::classes];
  large_segment* longer;
  unsigned long long* longer_count;
};

/// Returns the class of a segment of `length` items: 0 for the smallest, tuning::classes for those that no block holds.
template <std::size_t KeyBytes, std::size_t ValueBytes>
__device__ unsigned length_class(std::uint64_t length, plan_lists const& lists) {
  unsigned c = 0;
#pragma unroll
  for (unsigned k = 0; k < tuning::classes; ++k) c += length > tuning::class_shape<KeyBytes, ValueBytes>(k).capacity();
  return c < lists.classes ? c + trailing_zeros(lists.used >> c) : tuning::classes;
}

/// The number of tiny classes, for lengths up to 2, 4, 8, 12, 16, 24, 32.
constexpr unsigned tiny_classes = 7;
__device__ inline unsigned tiny_class(unsigned length) {
  return length <= 8 ? 31 - unsigned(__clz(int(length - 1))) : length <= 16 ? 3 + (length > 12) : 5 + (length > 24);
}

/// The segments that one block plans at a time.
template <class K, class V>
struct plan_storage {
  static constexpr unsigned threads = 256, warps = threads / warp_threads, kinds = tiny_classes + tuning::classes + 1;
  /// True if the next segments are loaded ahead. For small keys alone, more warps with fewer registers are better.
  static constexpr bool ahead = sizeof(K) > 4 || value_bytes<V> != 0;
  using widest = warp_sort<K, V, ahead ? 8 : 4, ahead ? 4 : 8>;
  unsigned counts[kinds];            // segments of each kind
  unsigned ends[kinds];              // end of each tiny kind in `order`
  unsigned long long places[kinds];  // positions in the lists of the other kinds
  std::uint16_t order[tuning::planned];
  std::uint8_t lengths[tuning::planned];  // the lengths of tiny segments
  std::uint64_t begins[tuning::planned];
  alignas(16) unsigned char staged[warps][(sizeof(typename widest::storage) + 15) / 16 * 16];
};

/// Sorts the tiny segments of one kind, whose numbers are order[0, count), some per warp at a time. If there are registers for
/// it, the next ones are loaded during the sort.
template <unsigned Lanes, unsigned Items, class K, class V, class Keys>
__device__ void sort_tiny(segment_data<K, V, Keys> const& data, plan_storage<K, V>& shared, std::uint16_t const* order,
                          unsigned count) {
  using sorter = warp_sort<K, V, Lanes, Items>;
  static_assert(sizeof(typename sorter::storage) <= sizeof(shared.staged[0]));
  unsigned const warp = threadIdx.x / warp_threads, step = sorter::segments * plan_storage<K, V>::warps;
  auto& staged = *reinterpret_cast<typename sorter::storage*>(shared.staged[warp]);
  auto const load = [&](unsigned first, typename sorter::held& h) {
    unsigned const place = first + lane_id() / Lanes;
    unsigned const s = place < count ? order[place] : 0;
    sorter::load(data, shared.begins[s], place < count ? shared.lengths[s] : 0, copy::given, h);
  };
  unsigned first = warp * sorter::segments;
  if (first >= count) return;
  typename sorter::held now, next;
  load(first, now);
  for (;;) {
    first += step;
    bool const more = first < count;
    if (more && plan_storage<K, V>::ahead) load(first, next);
    sorter::sort(data, now, staged);
    if (!more) return;
    if (plan_storage<K, V>::ahead)
      now = next;
    else
      load(first, now);
  }
}

/// A block's work on `planned` segments, `rounds` per thread. It counts their kinds, gives each a position in the order of its
/// kind or in its list, and sorts the tiny ones.
template <class K, class V, class Keys>
struct block_plan {
  using storage = plan_storage<K, V>;
  static constexpr unsigned threads = storage::threads, kinds = storage::kinds, rounds = tuning::planned / threads;

  segment_data<K, V, Keys> const& data;
  plan_lists const& out;
  storage& shared;
  std::uint64_t begin[rounds], length[rounds];
  unsigned place[rounds];  // for segments of two items and more

  __device__ __forceinline__ block_plan(segment_data<K, V, Keys> const& all, plan_lists const& lists, storage& memory)
      : data(all), out(lists), shared(memory) {}

  [[nodiscard]] __device__ __forceinline__ unsigned segment_kind(std::uint64_t length) const {
    return length <= tuning::tiny_capacity ? tiny_class(unsigned(length))
                                           : tiny_classes + length_class<sizeof(K), value_bytes<V>>(length, out);
  }

  /// Loads the segments from `first` on, of `count` in total.
  template <class Offset>
  __device__ __forceinline__ void read(segment_list<Offset> const& segments, planned_runs const& runs, std::size_t first,
                                       std::size_t count) {
#pragma unroll
    for (unsigned j = 0; j < rounds; ++j) {
      std::size_t s = first + j * threads + threadIdx.x;
      bool planned = s < count;
      if (planned && runs.numbers) {
        s = std::size_t(runs.numbers[s / runs.segments]) * runs.segments + s % runs.segments;
        planned = s < segments.size();
      }
      begin[j] = planned ? segments.begin(s) : 0;
      length[j] = planned ? segments.end(s) - begin[j] : 0;
    }
  }

  /// Gives each segment a number within its kind, in no particular order. Segments of one item are finished.
  __device__ __forceinline__ void count_kinds() {
#pragma unroll
    for (unsigned j = 0; j < rounds; ++j) {
      if (length[j] == 1 && data.heads) data.heads[begin[j]] = 1;
      if (length[j] <= 1) continue;
      place[j] = atomicAdd(&shared.counts[segment_kind(length[j])], 1u);
      if (length[j] <= tuning::tiny_capacity) prefetch(data, copy::given, begin[j], length[j], 0, 1);
    }
  }

  /// Computes the end of each tiny kind in `order` and, for other kinds, the positions in their lists. One thread per kind.
  __device__ __forceinline__ void reserve_places() {
    if (threadIdx.x < kinds) {
      unsigned const k = threadIdx.x, count = shared.counts[k];
      if (k < tiny_classes) {
        unsigned end = 0;
        for (unsigned c = 0; c <= k; ++c) end += shared.counts[c];
        shared.ends[k] = end;
      } else if (count != 0) {
        shared.places[k] = atomicAdd(k + 1 == kinds ? out.longer_count : out.listed[k - tiny_classes].count,
                                     static_cast<unsigned long long>(count));
      }
    }
  }

  __device__ __forceinline__ void list() {
#pragma unroll
    for (unsigned j = 0; j < rounds; ++j) {
      if (length[j] <= 1) continue;
      unsigned const kind = segment_kind(length[j]), s = j * threads + threadIdx.x;
      if (kind < tiny_classes) {
        shared.order[shared.ends[kind] - 1 - place[j]] = std::uint16_t(s);
        shared.begins[s] = begin[j];
        shared.lengths[s] = std::uint8_t(length[j]);
      } else if (kind + 1 == kinds) {
        out.longer[shared.places[kind] + place[j]] = {begin[j], length[j]};
      } else {
        out.listed[kind - tiny_classes].set(shared.places[kind] + place[j], {begin[j], std::uint32_t(length[j]), copy::given});
      }
    }
  }

  __device__ __forceinline__ void sort_all_tiny() {
    sort_kind<1, 2>(0);
    sort_kind<2, 2>(1);
    if constexpr (storage::ahead) {
      sort_kind<4, 2>(2);
      sort_kind<4, 3>(3);
      sort_kind<8, 2>(4);
      sort_kind<8, 3>(5);
      sort_kind<8, 4>(6);
    } else {
      sort_kind<2, 4>(2);
      sort_kind<2, 6>(3);
      sort_kind<4, 4>(4);
      sort_kind<4, 6>(5);
      sort_kind<4, 8>(6);
    }
  }
  template <unsigned Lanes, unsigned Items>
  __device__ __forceinline__ void sort_kind(unsigned k) {
    sort_tiny<Lanes, Items>(data, shared, shared.order + shared.ends[k] - shared.counts[k], shared.counts[k]);
  }
};

template <class K, class V, class Keys, class Offset>
__global__ void __launch_bounds__(256, plan_storage<K, V>::ahead ? 2 : 4)
    plan_segments(segment_data<K, V, Keys> data, segment_list<Offset> segments, planned_runs runs, plan_lists out) {
  wait_for_previous();
  using storage = plan_storage<K, V>;
  storage& shared = *reinterpret_cast<storage*>(dynamic_shared_memory());
  std::size_t const count = runs.numbers ? *runs.count * runs.segments : segments.size();
  for (std::size_t first = std::size_t(blockIdx.x) * tuning::planned; first < count;
       first += std::size_t(gridDim.x) * tuning::planned) {
    block_plan<K, V, Keys> plan(data, out, shared);
    if (threadIdx.x < storage::kinds) shared.counts[threadIdx.x] = 0;
    __syncthreads();
    plan.read(segments, runs, first, count);
    plan.count_kinds();
    __syncthreads();
    plan.reserve_places();
    __syncthreads();
    plan.list();
    __syncthreads();
    plan.sort_all_tiny();
    __syncthreads();
  }
}

/// A segment_class as a type: nvcc 13.0 and GCC 12 fail on kernels whose template arguments are values of a class.
template <tuning::method By, unsigned Threads, unsigned Items, unsigned Resident>
struct shape_type {
  static constexpr tuning::segment_class shape{By, Threads, Items, Resident};
};

/// The sort of segments of keys K and values V that fit in one block or warp, for one shape.
template <class K, class V, class Shape>
struct shape_traits {
  using type = Shape;
  static constexpr tuning::segment_class shape = Shape::shape;
  static constexpr unsigned threads = shape.by == tuning::method::network ? tuning::network_threads : shape.threads;
  static constexpr unsigned warps = threads / warp_threads;
  /// Returns the bytes of shared memory per block.
  static constexpr std::size_t shared_bytes() {
    if constexpr (shape.by == tuning::method::network)
      return warps * sizeof(typename warp_sort<K, V, shape.threads, shape.items>::storage);
    else if constexpr (shape.by == tuning::method::buckets)
      return block_sort<K, shape.threads, shape.items>::bytes(value_bytes<V>);
    else
      return shape.capacity() * sizeof(carrier<K, std::uint32_t>);
  }
};

template <class K, class V, unsigned Class>
struct class_type {
  static constexpr tuning::segment_class s = tuning::class_shape<sizeof(K), value_bytes<V>>(Class);
  using type = shape_type<s.by, s.threads, s.items, s.resident>;
};
template <class K, class V, unsigned Class>
using class_traits = shape_traits<K, V, typename class_type<K, V, Class>::type>;

/// Sorts the segments of one class, each by some lanes of a warp.
template <class K, class V, class Keys, class Shape>
__global__ void __launch_bounds__(shape_traits<K, V, Shape>::threads, Shape::shape.resident)
    sort_by_warps(segment_data<K, V, Keys> data, segment_queue segments) {
  wait_for_previous();
  using traits = shape_traits<K, V, Shape>;
  using sorter = warp_sort<K, V, Shape::shape.threads, Shape::shape.items>;
  unsigned const warp = threadIdx.x / warp_threads;
  auto& shared = reinterpret_cast<typename sorter::storage*>(dynamic_shared_memory())[warp];
  std::uint64_t const count = segments.size(), step = std::uint64_t(gridDim.x) * traits::warps * sorter::segments;
  std::uint64_t first = (std::uint64_t(blockIdx.x) * traits::warps + warp) * sorter::segments;
  auto const at = [&](std::uint64_t s) {
    s += lane_id() / Shape::shape.threads;
    return s < count ? segments[s] : segment_record{};
  };
  segment_record next = at(first), after = at(first + step);
  for (; first < count; first += step) {
    segment_record const now = next;
    next = after;
    prefetch(data, next.from, next.begin, next.length, lane_id() % Shape::shape.threads, Shape::shape.threads);
    after = at(first + 2 * step);
    typename sorter::held h;
    sorter::load(data, now.begin, now.length, now.from, h);
    sorter::sort(data, h, shared);
  }
}

/// Sorts the segments of one class, each by a block.
template <class K, class V, class Keys, class Shape>
__global__ void __launch_bounds__(shape_traits<K, V, Shape>::threads, Shape::shape.resident)
    sort_by_blocks(segment_data<K, V, Keys> data, segment_queue segments) {
  wait_for_previous();
  std::uint64_t const count = segments.size();
  auto const at = [&](std::uint64_t s) { return s < count ? segments[s] : segment_record{}; };
  std::uint64_t s = blockIdx.x, step = gridDim.x;
  segment_record next = at(s), after = at(s + step);
  for (; s < count; s += step) {
    segment_record const now = next;
    next = after;
    prefetch_by_block(data, next.from, next.begin, next.length);
    after = at(s + 2 * step);
    block_sort<K, Shape::shape.threads, Shape::shape.items>::sort(data, now);
  }
}

struct less_code {
  template <class K>
  __device__ bool operator()(K a, K b) const {
    return a < b;
  }
};

/// Sorts the segments of one class by comparisons of keys that carry their positions. This takes less shared memory and is
/// slower. Values stay in place until all positions are known.
template <class K, class V, class Keys, class Shape>
__global__ void __launch_bounds__(shape_traits<K, V, Shape>::threads, Shape::shape.resident)
    sort_by_merging(segment_data<K, V, Keys> data, segment_queue segments) {
  wait_for_previous();
  constexpr unsigned threads = Shape::shape.threads, items = Shape::shape.items;
  using element = carrier<K, std::uint32_t>;
  element* const all = reinterpret_cast<element*>(dynamic_shared_memory());
  std::uint64_t const count = segments.size();
  for (std::uint64_t s = blockIdx.x; s < count; s += gridDim.x) {
    segment_record const segment = segments[s];
    unsigned const n = segment.length, own_count = (n + (threads - 1 - threadIdx.x)) / threads;
    K key[items];
    data.template load<threads>(segment.from, segment.begin + threadIdx.x, own_count, key);
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      unsigned const p = i * threads + threadIdx.x;
      if (i < own_count) all[p] = {key[i], p};
    }
    __syncthreads();
    merging<element, threads, items>::sort(all, n, less_code{});
    V const* const values = data.value_address(segment.from, segment.begin);
    V value[items];
    if constexpr (value_bytes<V> != 0) {
#pragma unroll
      for (unsigned i = 0; i < items; ++i)
        if (i < own_count) value[i] = values[all[i * threads + threadIdx.x].carried];
      __syncthreads();  // all values are read before one is written
    }
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      unsigned const p = i * threads + threadIdx.x;
      if (i >= own_count) continue;
      data.keys.store(segment.begin + p, all[p].item);
      if constexpr (value_bytes<V> != 0) data.values[segment.begin + p] = value[i];
      if (data.heads) data.heads[segment.begin + p] = p == 0 || all[p - 1].item != all[p].item;
    }
    __syncthreads();
  }
}

}  // namespace ordo::inline v0::cuda_detail
