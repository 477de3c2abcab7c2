#pragma once
#include <cstdint>
#include <type_traits>

#include "sort_core/cuda/group.cuh"
#include "sort_core/cuda/segment_data.cuh"

// Sorting by comparisons what one block holds, stably: each thread sorts a few items in registers, by exchanging neighbours;
// then runs are merged two by two, every thread making as many items of the merged run as it had (merge path: Green, McColl
// and Bader, ICS'12).
namespace ordo::detail {

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

/// Sorts up to Threads * Items elements. An odd number of items keeps threads out of each other's banks.
template <class Element, unsigned Threads, unsigned Items>
struct merging {
  static_assert(Items % 2 == 1);
  static constexpr unsigned capacity = Threads * Items;

  /// Sorts all[0, n), in shared memory. The caller synchronises before, not behind.
  template <class Less>
  __device__ static void sort(Element* all, unsigned n, Less const& less) {
    unsigned const first = threadIdx.x * Items, mine = first < n ? min(n - first, Items) : 0;
    Element element[Items];
    if (mine != 0) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < mine) element[i] = all[first + i];
      if (mine == Items)
        sort_registers<true>(element, mine, less);
      else
        sort_registers<false>(element, mine, less);
    }
    for (unsigned threads = 1; threads < Threads && threads * Items < n; threads *= 2) {
      // Runs of `threads` threads each become runs of twice as many.
      sync(threads);
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < mine) all[first + i] = element[i];
      sync(2 * threads);
      if (mine == 0) continue;
      unsigned const run = threads * Items, begin = first - threadIdx.x % (2 * threads) * Items;
      merge(all, begin, min(begin + run, n), min(begin + 2 * run, n), first - begin, mine, element, less);
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < mine) all[first + i] = element[i];
    __syncthreads();
  }

 private:
  __device__ static void sync(unsigned threads) {
    if (threads <= warp_threads)
      __syncwarp();
    else
      __syncthreads();
  }

  /// Odd-even transposition: neighbours only, so that equals stay in order.
  template <bool Full, class Less>
  __device__ static void sort_registers(Element (&element)[Items], unsigned mine, Less const& less) {
#pragma unroll
    for (unsigned round = 0; round < Items; ++round) {
#pragma unroll
      for (unsigned i = round % 2; i + 1 < Items; i += 2) {
        if ((Full || i + 1 < mine) && less(element[i + 1].item, element[i].item)) {
          Element const upper = element[i];
          element[i] = element[i + 1];
          element[i + 1] = upper;
        }
      }
    }
  }

  /// element[0, count) := what comes to [skip, skip + count) when all[begin, middle) and all[middle, end) are merged.
  template <class Less>
  __device__ static void merge(Element const* all, unsigned begin, unsigned middle, unsigned end, unsigned skip, unsigned count,
                               Element (&element)[Items], Less const& less) {
    unsigned const second = end - middle;
    // How many of the first run come before?
    unsigned low = skip > second ? skip - second : 0, high = min(skip, middle - begin);
    while (low < high) {
      unsigned const half = (low + high) / 2;
      if (less(all[middle + skip - 1 - half].item, all[begin + half].item))
        high = half;
      else
        low = half + 1;
    }
    unsigned a = begin + low, b = middle + skip - low;
    Element of_a = all[min(a, end - 1)], of_b = all[min(b, end - 1)];
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if (i < count) {
        bool const from_b = b < end && (a >= middle || less(of_b.item, of_a.item));
        element[i] = from_b ? of_b : of_a;
        if (from_b)
          of_b = all[min(++b, end - 1)];
        else
          of_a = all[min(++a, end - 1)];
      }
    }
  }
};

}  // namespace ordo::detail
