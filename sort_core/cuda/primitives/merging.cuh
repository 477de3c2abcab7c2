#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"

// Stable sort by comparisons of items that fit in one block. Each thread sorts a few items in registers by exchanging
// neighbours. Then sorted sequences are merged in pairs; every thread makes as many items of the merged sequence as it had
// (merge path: Green, McColl and Bader, ICS'12).
namespace ordo::inline v0::cuda_detail {

/// An item with the data that move with it during a sort.
template <class T, class Carried>
struct carrier {
  T item;
  Carried carried;
};
template <class T>
struct carrier<T, no_value> {
  T item;
};

/// A sort of up to Threads * Items elements. The memory must have room for all of these. An odd number of items per thread
/// avoids bank conflicts.
template <class Element, unsigned Threads, unsigned Items>
struct merging {
  static_assert(Items % 2 == 1);
  static constexpr unsigned capacity = Threads * Items;
  /// Sorts all[0, n), in shared memory. The caller must synchronise before the call; it does not synchronise at its end.
  template <class Less>
  __device__ static void sort(Element* all, unsigned n, Less const& less) {
    unsigned const first = threadIdx.x * Items;
    bool const has_any = first < n;
    Element element[Items];
    if (has_any) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) element[i] = all[first + i];
      if (first + Items <= n)
        sort_registers<true>(element, Items, less);
      else
        sort_registers<false>(element, n - first, less);
    }
#pragma unroll 1
    for (unsigned threads = 1; threads < Threads && threads * Items < n; threads *= 2) {
      // Merges pairs of sequences of `threads` threads each.
      sync(threads);
      if (has_any) put(element, all + first);
      sync(2 * threads);
      if (!has_any) continue;
      unsigned const run = threads * Items, skip = (threadIdx.x & (2 * threads - 1)) * Items, begin = first - skip;
      merge(all, begin, min(begin + run, n), min(begin + 2 * run, n), skip, element, less);
    }
    __syncthreads();
    if (has_any) put(element, all + first);
    __syncthreads();
  }

  __device__ static void put(Element const (&element)[Items], Element* row) {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) row[i] = element[i];
  }

  /// Writes to `element` the items from number `skip` on of the merge of all[begin, middle) and all[middle, end).
  template <class Less>
  __device__ static void merge(Element const* all, unsigned begin, unsigned middle, unsigned end, unsigned skip,
                               Element (&element)[Items], Less const& less) {
    unsigned const second = end - middle;
    // Binary search for the number of items of the first sequence that come before.
    unsigned low = skip > second ? skip - second : 0, high = min(skip, middle - begin);
    Element const *const of_first = all + begin, *const of_second = all + (middle + skip - 1);
    while (low < high) {
      unsigned const half = (low + high) / 2;
      if (less(of_second[-int(half)].item, of_first[half].item))
        high = half;
      else
        low = half + 1;
    }
    unsigned a = begin + low, b = middle + skip - low;
    // Other threads may be writing after the end.
    auto const at = [&](unsigned place) -> Element const& { return all[min(place, end - 1)]; };
    Element of_a = at(a), of_b = at(b);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      bool const from_b = b < end && (a >= middle || less(of_b.item, of_a.item));
      element[i] = from_b ? of_b : of_a;
      unsigned const next = (from_b ? b : a) + 1;
      Element const coming = at(next);
      if (from_b) {
        b = next;
        of_b = coming;
      } else {
        a = next;
        of_a = coming;
      }
    }
  }

 private:
  __device__ static void sync(unsigned threads) {
    if (threads <= warp_threads)
      __syncwarp();
    else
      __syncthreads();
  }

  /// Odd-even transposition sort: it exchanges only neighbours, so that equal elements stay in order.
  template <bool Full, class Less>
  __device__ static void sort_registers(Element (&element)[Items], unsigned count, Less const& less) {
#pragma unroll
    for (unsigned round = 0; round < Items; ++round) {
#pragma unroll
      for (unsigned i = round % 2; i + 1 < Items; i += 2) {
        if ((Full || i + 1 < count) && less(element[i + 1].item, element[i].item)) {
          Element const upper = element[i];
          element[i] = element[i + 1];
          element[i + 1] = upper;
        }
      }
    }
  }
};

}  // namespace ordo::inline v0::cuda_detail
