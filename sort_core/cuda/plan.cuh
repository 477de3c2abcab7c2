#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/backend.hpp"
#include "sort_core/cuda/on_chip.cuh"
#include "sort_core/cuda/small.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// The first kernel of a segmented sort: segments of one item are done, tiny ones are sorted at once, all others are listed by
// class for the kernels to come. The lists and their lengths stay on the device.
namespace ordo::detail {

struct long_segment {
  std::uint64_t begin, length;
};

/// Where the plan puts the segments that it does not sort.
struct plan_lists {
  segment_queue listed[tuning::classes];
  long_segment* longer;
  unsigned long long* longer_count;
};

/// The class of a segment of `length` items: 0 for the smallest groups; `classes` for those that no block holds.
template <std::size_t KeyBytes, std::size_t ValueBytes>
__device__ unsigned class_of(std::uint64_t length) {
  unsigned c = 0;
#pragma unroll
  for (unsigned k = 0; k < tuning::classes; ++k)
    c += length > tuning::class_shape<KeyBytes, ValueBytes>(k).capacity();
  return c;
}

/// Tiny classes: lengths up to 2, 4, 8, 16, 24, 32.
constexpr unsigned tiny_classes = 6;
__device__ inline unsigned tiny_class_of(unsigned length) {
  return length <= 16 ? 31 - unsigned(__clz(int(length - 1))) : length <= 24 ? 4 : 5;
}

template <class K, class V, class Keys, class Offset>
__global__ void __launch_bounds__(256, 3) plan_segments(segment_data<K, V, Keys> data, segment_list<Offset> segments, plan_lists out) {
  constexpr unsigned threads = 256, kinds = tiny_classes + tuning::classes + 1;
  __shared__ unsigned counts[kinds];
  __shared__ unsigned long long bases[kinds];
  __shared__ std::uint64_t tiny_begins[tuning::planned];
  __shared__ std::uint8_t tiny_lengths[tuning::planned];
  using widest = small_sort<K, V, 8, 4>;
  __shared__ __align__(16) unsigned char staged[threads / warp_threads][(sizeof(typename widest::storage) + 15) / 16 * 16];

  for (std::size_t block = blockIdx.x; block * tuning::planned < segments.size(); block += gridDim.x) {
    if (threadIdx.x < kinds) counts[threadIdx.x] = 0;
    __syncthreads();
    std::uint64_t begin[tuning::planned / threads], length[tuning::planned / threads];
    unsigned kind[tuning::planned / threads], place[tuning::planned / threads];
#pragma unroll
    for (unsigned j = 0; j < tuning::planned / threads; ++j) {
      std::size_t const s = block * tuning::planned + j * threads + threadIdx.x;
      kind[j] = kinds;
      if (s >= segments.size()) continue;
      begin[j] = segments.begin(s);
      length[j] = segments.end(s) - begin[j];
      if (length[j] == 1 && data.heads) data.heads[begin[j]] = 1;
      if (length[j] <= 1) continue;
      kind[j] = length[j] <= tuning::tiny_capacity ? tiny_class_of(unsigned(length[j]))
                                                   : tiny_classes + class_of<sizeof(K), value_bytes<V>>(length[j]);
      place[j] = atomicAdd(&counts[kind[j]], 1u);
      if (kind[j] < tiny_classes) prefetch(data, copy::given, begin[j], length[j], 0, 1);
    }
    __syncthreads();
    if (threadIdx.x < kinds) {
      unsigned const k = threadIdx.x;
      if (k < tiny_classes) {
        unsigned before = 0;
        for (unsigned c = 0; c < k; ++c) before += counts[c];
        bases[k] = before;
      } else if (counts[k] != 0) {
        bases[k] = atomicAdd(k + 1 == kinds ? out.longer_count : out.listed[k - tiny_classes].count,
                             static_cast<unsigned long long>(counts[k]));
      }
    }
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < tuning::planned / threads; ++j) {
      if (kind[j] == kinds) continue;
      std::uint64_t const at = bases[kind[j]] + place[j];
      if (kind[j] < tiny_classes) {
        tiny_begins[at] = begin[j];
        tiny_lengths[at] = std::uint8_t(length[j]);
      } else if (kind[j] + 1 == kinds) {
        out.longer[at] = {begin[j], length[j]};
      } else {
        out.listed[kind[j] - tiny_classes].set(at, {begin[j], std::uint32_t(length[j]), copy::given});
      }
    }
    __syncthreads();
    unsigned const warp = threadIdx.x / warp_threads;
    auto const sort_class = [&]<unsigned Lanes, unsigned Items>(unsigned k) {
      using sorter = small_sort<K, V, Lanes, Items>;
      static_assert(sizeof(typename sorter::storage) <= sizeof(typename widest::storage));
      auto& shared = *reinterpret_cast<typename sorter::storage*>(staged[warp]);
      unsigned const count = counts[k];
      for (unsigned first = warp * sorter::segments; first < count; first += threads / Lanes) {
        unsigned const mine = first + lane_of() / Lanes;
        bool const there = mine < count;
        sorter::sort(data, there ? tiny_begins[bases[k] + mine] : 0, there ? tiny_lengths[bases[k] + mine] : 0, copy::given,
                     shared);
      }
    };
    sort_class.template operator()<1, 2>(0);
    sort_class.template operator()<2, 2>(1);
    sort_class.template operator()<4, 2>(2);
    sort_class.template operator()<8, 2>(3);
    sort_class.template operator()<8, 3>(4);
    sort_class.template operator()<8, 4>(5);
    __syncthreads();
  }
}

template <class K, class V, unsigned Class>
struct class_traits {
  static constexpr tuning::segment_class shape = tuning::class_shape<sizeof(K), value_bytes<V>>(Class);
  static constexpr unsigned threads =
      shape.by == tuning::method::network ? tuning::network_threads : shape.threads;
  static constexpr unsigned warps = threads / warp_threads;
};

/// Sorts the segments of one class, each by some lanes of a warp.
template <class K, class V, class Keys, unsigned Class>
__global__ void __launch_bounds__(class_traits<K, V, Class>::threads, class_traits<K, V, Class>::shape.resident)
    sort_by_warps(segment_data<K, V, Keys> data, segment_queue segments) {
  using traits = class_traits<K, V, Class>;
  using sorter = small_sort<K, V, traits::shape.threads, traits::shape.items>;
  extern __shared__ __align__(16) unsigned char sort_memory[];
  unsigned const warp = threadIdx.x / warp_threads;
  auto& shared = reinterpret_cast<typename sorter::storage*>(sort_memory)[warp];
  std::uint64_t const count = segments.size(), step = std::uint64_t(gridDim.x) * traits::warps * sorter::segments;
  std::uint64_t first = (std::uint64_t(blockIdx.x) * traits::warps + warp) * sorter::segments;
  auto const at = [&](std::uint64_t s) {
    s += lane_of() / traits::shape.threads;
    return s < count ? segments[s] : segment_record{};
  };
  segment_record next = at(first), after = at(first + step);
  for (; first < count; first += step) {
    segment_record const now = next;
    next = after;
    prefetch(data, next.from, next.begin, next.length, lane_of() % traits::shape.threads, traits::shape.threads);
    after = at(first + 2 * step);
    sorter::sort(data, now.begin, now.length, now.from, shared);
  }
}

/// Sorts the segments of one class, a block each.
template <class K, class V, class Keys, unsigned Class>
__global__ void __launch_bounds__(class_traits<K, V, Class>::threads, class_traits<K, V, Class>::shape.resident)
    sort_by_blocks(segment_data<K, V, Keys> data, segment_queue segments) {
  using traits = class_traits<K, V, Class>;
  extern __shared__ __align__(16) unsigned char sort_memory[];
  std::uint64_t const count = segments.size();
  auto const at = [&](std::uint64_t s) { return s < count ? segments[s] : segment_record{}; };
  std::uint64_t s = blockIdx.x, step = gridDim.x;
  segment_record next = at(s), after = at(s + step);
  for (; s < count; s += step) {
    segment_record const now = next;
    next = after;
    prefetch(data, next.from, next.begin, next.length, threadIdx.x, blockDim.x);
    after = at(s + 2 * step);
    on_chip<K, traits::shape.threads, traits::shape.items>::sort(data, now, sort_memory);
  }
}

}  // namespace ordo::detail
