#pragma once
#include <cstddef>
#include <span>

#include "ordo/cpu.hpp"
#include "ordo/detail/checks.hpp"
#include "ordo/segments.hpp"
#include "ordo/sort.hpp"
#include "sort_core/host/backend.hpp"
#include "sort_core/operations/segmented_sample_sort.hpp"

#pragma GCC visibility push(default)

// The counterpart of gpu.cuh for the CPU: computed keys, comparisons defined by the caller, and all operations of backend.hpp,
// for sources that compile algorithms themselves. Needs oneTBB's headers.
namespace ordo::inline v0 {

/// Calls f(host_backend&), which has all operations of backend.hpp, and returns its result.
/// @throws usage_error  if another thread is in a call of the machine, or if the machine was moved from
template <class F>
decltype(auto) with_backend(cpu& on, F f) {
  cpu::use const now(on);
  return f(on.backend());
}

/// Sorts each segment of items of any trivially copyable type in place by a strict weak order. Stable. Positions in holes are
/// not written. Segments are checked as in sort_segments.
///
/// Takes O(l log l) comparisons for a segment of l items. One thread sorts a segment of fewer than 65,536 items, with as many
/// items of memory outside the pool. If `less` is no strict weak order, also if it answers at random, the result is some
/// permutation of each segment.
/// @code
///   ordo::sort_segments(cpu, std::span(items), segments, [](item const& a, item const& b) { return a.score > b.score; });
/// @endcode
template <class T, class Offset, class Less>
requires(!std::convertible_to<Less, detail::head_array>) void sort_segments(cpu& on, std::span<T> items,
                                                                            segment_list<Offset> segments, Less less) {
  cpu::use const now(on);
  detail::check_known_segments(items.size(), segments);
  check_segments(on, items.size(), segments);
  segmented_sample_sort(on.backend(), items, segments, less);
}

/// Returns the maximum of temporary memory of sort_segments by a comparison, in bytes, for items of type T.
/// @param max_length  the bound in the segment_list, or the uniform length
template <class T>
std::size_t sort_segments_by_comparison_memory(cpu&, std::size_t n, std::size_t segments,
                                               std::size_t max_length = ~std::size_t{0}) {
  return segmented_sample_sort_memory<host_backend, T>(n, segments, max_length);
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
