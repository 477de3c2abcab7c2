#pragma once
#if !defined(__CUDACC__)
#error "ordo/gpu.cuh is for nvcc: name the source .cu and enable CUDA in CMake, or include ordo/gpu.hpp"
#else
#include <cstddef>
#include <cstdint>
#include <span>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "ordo/gpu.hpp"
#include "sort_core/cuda/backend.cuh"
#include "sort_core/cuda/runtime/devices.hpp"
#include "sort_core/operations/segmented_sample_sort.hpp"

/// The sorts of a GPU for sources that nvcc compiles: computed keys, comparisons defined by the caller, and all operations of
/// backend.hpp. Needs nvcc 12.4 or newer with --extended-lambda and --expt-relaxed-constexpr, which the CMake target
/// ordo::sort_core sets. Functors are marked __host__ __device__ (ORDO_FN), are copied, and must not hold references. See
/// sort.hpp and backend.hpp for the contracts.
namespace ordo::inline v0 {

// CUDA's types of half precision are keys, as ordo::half and ordo::bfloat16 are.
template <>
struct key_traits<__half> : key_traits<half> {};
template <>
struct key_traits<__nv_bfloat16> : key_traits<bfloat16> {};

/// Makes the machine's device current, calls f(cuda_backend&), which has all operations of backend.hpp, and returns its result.
template <class F>
decltype(auto) with_backend(gpu& on, F f) {
  cuda_backend& backend = on.backend();
  cuda_detail::device_scope const current(on.index());
  cuda_backend::stream_scope const queue(backend, on.view_stream());
  return f(backend);
}

/// Sorts each segment of items by the computed key key(item), a std::uint32_t or std::uint64_t. Stable. The key is computed
/// inside the sorting kernel, without an array of keys. Waits, graphs and heads are as in sort_segments.
/// @code
///   ordo::sort_segments_by(gpu, std::span(device_suffixes, n), segments,
///                          [ranks, h] __host__ __device__(std::uint32_t p) { return ranks[p + h]; });
/// @endcode
template <class V, class Offset, class KeyOf>
void sort_segments_by(gpu& on, std::span<V> items, segment_list<Offset> segments, KeyOf key, std::span<std::uint8_t> heads = {},
                      bit_range bits = {}) {
  detail::check_known_segments(items.size(), segments);
  with_backend(on, [&](cuda_backend& backend) { backend.segmented_sort_by(items, segments, key, heads, bits); });
}

/// Sorts items of any trivially copyable type in place by a strict weak order: less(a, b) is true if a comes before b. Stable.
/// Waits for the device once per level of recursion. (Leischner, Osipov and Sanders, IPDPS'10.)
template <class T, class Less>
void sample_sort(gpu& on, std::span<T> items, Less less) {
  with_backend(on, [&](cuda_backend& backend) { backend.sample_sort(items, less); });
}

/// Sorts keys in the same way, and moves values of 4, 8 or 16 bytes with them.
template <class T, class V, class Less>
void sample_sort(gpu& on, std::span<T> keys, std::span<V> values, Less less) {
  with_backend(on, [&](cuda_backend& backend) { backend.sample_sort(keys, values, less); });
}

/// Sorts each segment of items of any trivially copyable type in place by a strict weak order. Stable. Positions in holes are
/// not written. Checks of segments are as in sort_segments, without those of a debug build.
///
/// If the segments' max_length or uniform length is at most 16, one thread sorts one segment, and the call does not wait.
/// Otherwise the items of all segments are sorted together, with the numbers of their segments, in O(n log n) comparisons; the
/// call waits for the device as sample_sort does.
/// @code
///   ordo::sort_segments(gpu, std::span(device_items, n), segments,
///                       [] __host__ __device__(item const& a, item const& b) { return a.score > b.score; });
/// @endcode
template <class T, class Offset, class Less>
requires(!std::convertible_to<Less, detail::head_array>) void sort_segments(gpu& on, std::span<T> items,
                                                                            segment_list<Offset> segments, Less less) {
  detail::check_known_segments(items.size(), segments);
  with_backend(on, [&](cuda_backend& backend) { segmented_sample_sort(backend, items, segments, less); });
}

/// Returns the maximum of temporary memory of sort_segments by a comparison, in bytes, for items of type T.
/// @param max_length  the bound in the segment_list, or the uniform length
template <class T>
std::size_t sort_segments_by_comparison_memory(gpu&, std::size_t n, std::size_t segments,
                                               std::size_t max_length = ~std::size_t{0}) {
  return segmented_sample_sort_memory<cuda_backend, T>(n, segments, max_length);
}

}  // namespace ordo::inline v0
#endif
