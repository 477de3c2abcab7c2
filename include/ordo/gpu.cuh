#pragma once
#if !defined(__CUDACC__)
#error "ordo/gpu.cuh is for nvcc: name the source .cu and enable CUDA in CMake, or include ordo/gpu.hpp"
#else
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/gpu.hpp"
#include "sort_core/cuda/backend.cuh"
#include "sort_core/cuda/devices.hpp"

/// The core's door for sources that nvcc compiles: keys that are computed, orders of the caller's own, and the small verbs.
/// Needs nvcc 12.4 or newer with --extended-lambda and --expt-relaxed-constexpr, which the CMake target ordo::sort_core sets.
/// Functors are marked __host__ __device__ (ORDO_FN), are copied, and keep no references. Contracts: sort.hpp and backend.hpp.
namespace ordo {

/// f(cuda_backend&) while the machine's device is current. `cuda` has all verbs of backend.hpp.
template <class F>
decltype(auto) with_backend(gpu& on, F f) {
  cuda_backend& machine = on.backend();
  cuda_detail::device_scope const current(on.index());
  return f(machine);
}

/// Sorts each segment of items by key(item), stably; the key, std::uint32_t or std::uint64_t, is computed inside the kernel
/// that sorts, and no array of keys need exist. Waits, graphs and heads: as sort_segments.
/// @code
///   ordo::sort_segments_by(gpu, std::span(device_suffixes, n), segments,
///                          [ranks, h] __host__ __device__(std::uint32_t p) { return ranks[p + h]; });
/// @endcode
template <class V, class Offset, class KeyOf>
void sort_segments_by(gpu& on, std::span<V> items, segment_list<Offset> segments, KeyOf key, std::span<std::uint8_t> heads = {},
                      bit_range bits = {}) {
  detail::check_known_segments(items.size(), segments);
  with_backend(on, [&](cuda_backend& machine) { machine.segmented_sort_by(items, segments, key, heads, bits); });
}

/// keys[i] := the i-th smallest of key(0) ... key(n-1), index[i] := whose it is; stable. Both have length n. May wait as
/// sort_keys.
template <class KeyOf, class K, detail::index_type Index>
void argsort_by(gpu& on, std::size_t n, KeyOf key, std::span<K> keys, std::span<Index> index, bit_range bits = {}) {
  detail::check_length("keys", "argsort", keys.size(), n);
  detail::check_length("index", "argsort", index.size(), n);
  detail::check_index_width(n, sizeof(Index));
  with_backend(on, [&](cuda_backend& machine) { machine.argsort(n, key, keys, index, bits); });
}

/// Sorts items of any trivially copyable type by any strict weak order: less(a, b) says whether a comes before b. Stable, in
/// place; waits for the device once a level. (Leischner, Osipov and Sanders, IPDPS'10.)
template <class T, class Less>
void sample_sort(gpu& on, std::span<T> items, Less less) {
  with_backend(on, [&](cuda_backend& machine) { machine.sample_sort(items, less); });
}

/// The same, values of 4, 8 or 16 bytes moving with their keys.
template <class T, class V, class Less>
void sample_sort(gpu& on, std::span<T> keys, std::span<V> values, Less less) {
  with_backend(on, [&](cuda_backend& machine) { machine.sample_sort(keys, values, less); });
}

}  // namespace ordo
#endif
