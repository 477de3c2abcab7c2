#pragma once
#include <cstddef>
#include <cstdint>

#include <cooperative_groups.h>

#include "sort_core/cuda/kernels/plan.cuh"

// Arrays larger than the window in which large ones are partitioned. Their steps are sorted first; then they are merged in
// place by Batcher's bitonic scheme, in chunks that a block holds. Exchanges at distances of a chunk and more run in device
// memory, all others in a block's sort. An array of 2^k chunks in steps of 2^j is read and written k + 1 times for the last
// merge, k times for the one before, and so on down to j + 2 times for the first. All arrays go through each merge together, in
// one kernel whose blocks all run at once.
namespace ordo::inline v0::cuda_detail {

struct chunked_array {
  std::uint64_t begin, length, first_chunk;
};

/// Memory of the merges: an entry per array, with its position among all chunks.
struct chunk_work {
  chunked_array* arrays;
  unsigned long long* counts;  // arrays << 38 | chunks; the length of the largest array; both 0 at first
  std::uint64_t step;          // items of an array that are sorted together, from its begin; 2^k chunks
  static constexpr unsigned chunk_bits = 38;
};

/// The merges, in chunks as large as the segments of `Class`.
template <class K, class V, class Keys, unsigned Class>
class chunk_merger {
 public:
  static constexpr auto shape = class_traits<K, V, Class>::shape;
  using sorter = block_sort<K, shape.threads, shape.items>;
  static constexpr unsigned threads = shape.threads, chunk = sorter::capacity;
  static_assert((chunk & (chunk - 1)) == 0);

  __device__ chunk_merger(segment_data<K, V, Keys> const& data, chunk_work const& work, plan_lists const& lists)
      : data_(data), work_(work), lists_(lists) {}

  __device__ void run() {
    std::uint64_t const given = *lists_.longer_count;
    if (given == 0) return;
    auto const everyone = cooperative_groups::this_grid();
    for (std::uint64_t s = std::uint64_t(blockIdx.x) * threads + threadIdx.x; s < given;
         s += std::uint64_t(gridDim.x) * threads) {
      large_segment const a = lists_.longer[s];
      if (a.length <= work_.step) continue;
      unsigned long long const chunks = (a.length + chunk - 1) / chunk;
      unsigned long long const before = atomicAdd(&work_.counts[0], (1ull << chunk_work::chunk_bits) + chunks);
      work_.arrays[before >> chunk_work::chunk_bits] = {a.begin, a.length, before & ((1ull << chunk_work::chunk_bits) - 1)};
      atomicMax(&work_.counts[1], static_cast<unsigned long long>(a.length));
    }
    everyone.sync();
    std::uint64_t const longest = work_.counts[1];
    for (std::uint64_t merged = 2 * (work_.step / chunk); (merged / 2) * chunk < longest; merged *= 2) {
      each_chunk(merged / 2, [&](chunked_array const& a, std::uint64_t c) {
        if ((c & (merged / 2)) == 0) exchange(a, c, c ^ (merged - 1), true);
      });
      for (std::uint64_t step = merged / 4; step > 0; step /= 2) {
        everyone.sync();
        each_chunk(merged / 2, [&](chunked_array const& a, std::uint64_t c) {
          if ((c & step) == 0) exchange(a, c, c ^ step, false);
        });
      }
      everyone.sync();
      each_chunk(merged / 2, [&](chunked_array const& a, std::uint64_t c) {
        std::uint64_t const left = a.length - c * chunk;
        sorter::sort(data_, {a.begin + c * chunk, std::uint32_t(left < chunk ? left : chunk), copy::given});
      });
      everyone.sync();
    }
  }

 private:
  /// Calls f(array, chunk) for this block's share of the chunks of arrays with more than `min_chunks` chunks.
  template <class F>
  __device__ void each_chunk(std::uint64_t min_chunks, F f) {
    std::uint64_t const arrays = work_.counts[0] >> chunk_work::chunk_bits;
    std::uint64_t const chunks = work_.counts[0] & ((1ull << chunk_work::chunk_bits) - 1);
    for (std::uint64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
      std::uint64_t low = 0, high = arrays;
      while (high - low > 1) {
        std::uint64_t const middle = (low + high) / 2;
        if (work_.arrays[middle].first_chunk <= c)
          low = middle;
        else
          high = middle;
      }
      chunked_array const a = work_.arrays[low];
      if (a.length > min_chunks * chunk) f(a, c - a.first_chunk);
    }
  }

  /// Moves the smaller of each two items to chunk `low` and the greater to `high`; items after the array's end are greatest.
  __device__ void exchange(chunked_array const& a, std::uint64_t low, std::uint64_t high, bool mirrored) {
    for (unsigned i = threadIdx.x; i < chunk; i += threads) {
      std::uint64_t const upper = high * chunk + (mirrored ? chunk - 1 - i : i);
      if (upper >= a.length) continue;
      std::uint64_t const x = a.begin + low * chunk + i, y = a.begin + upper;
      auto* const keys = data_.keys.keys;
      K const first = keys[x], second = keys[y];
      if (data_.keys.code.encode(second) < data_.keys.code.encode(first)) {
        keys[x] = second;
        keys[y] = first;
        if constexpr (value_bytes<V> != 0) {
          V const moved = data_.values[x];
          data_.values[x] = data_.values[y];
          data_.values[y] = moved;
        }
      }
    }
  }

  segment_data<K, V, Keys> const& data_;
  chunk_work const& work_;
  plan_lists const& lists_;
};

template <class K, class V, class Keys, unsigned Class>
__global__ void __launch_bounds__(chunk_merger<K, V, Keys, Class>::threads, 1)
    merge_large_arrays(segment_data<K, V, Keys> data, chunk_work work, plan_lists lists) {
  wait_for_previous();
  chunk_merger<K, V, Keys, Class>(data, work, lists).run();
}

}  // namespace ordo::inline v0::cuda_detail
