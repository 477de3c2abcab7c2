#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sort_core/cuda/group.cuh"
#include "sort_core/cuda/segment_data.cuh"

// Sorting by comparisons what one block holds, stably: each thread sorts a few items in registers, by exchanging neighbours;
// then runs are merged two by two, every thread making as many items of the merged run as it had (merge path: Green, McColl
// and Bader, ICS'12).
namespace ordo::cuda_detail {

/// An item, and what moves along with it while it is sorted.
template <class T, class Carried>
struct carrier {
  T item;
  Carried carried;
};
template <class T>
struct carrier<T, no_value> {
  T item;
};

/// Sorts up to Threads * Items elements, the memory for all of which must be there. An odd number of items keeps threads out of
/// each other's banks.
template <class Element, unsigned Threads, unsigned Items>
struct merging {
  static_assert(Items % 2 == 1);
  static constexpr unsigned capacity = Threads * Items;
  /// Sorts all[0, n), in shared memory. The caller synchronises before, not behind.
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
      // Runs of `threads` threads each become runs of twice as many.
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

 private:
  __device__ static void sync(unsigned threads) {
    if (threads <= warp_threads)
      __syncwarp();
    else
      __syncthreads();
  }

  __device__ static void put(Element const (&element)[Items], Element* row) {
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) row[i] = element[i];
  }

  /// Odd-even transposition: neighbours only, so that equals stay in order.
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

  /// element := what comes from `skip` on when all[begin, middle) and all[middle, end) are merged.
  template <class Less>
  __device__ static void merge(Element const* all, unsigned begin, unsigned middle, unsigned end, unsigned skip,
                               Element (&element)[Items], Less const& less) {
    unsigned const second = end - middle;
    // How many of the first run come before?
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
    // Others may be writing behind the end.
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
};

}  // namespace ordo::cuda_detail
