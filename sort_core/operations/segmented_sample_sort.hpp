#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "ordo/memory.hpp"
#include "ordo/sort.hpp"
#include "sort_core/operations/parts.hpp"

// Segments sorted by a comparison that the caller defines. On few threads each segment is sorted by itself: small ones by one
// thread, large ones by all. On many threads the items are sorted all together, by the number of their segment and then by the
// comparison, unless the segments are so small that one thread sorts one.
namespace ordo::inline v0 {
namespace detail {

/// The length up to which an insertion sort is used, and on many threads the bound below which one thread sorts one segment.
constexpr std::size_t insertion_length = 16;
/// The length from which all threads of a CPU sort one segment.
constexpr std::size_t parallel_length = std::size_t{1} << 16;

/// Sorts each segment by insertion.
template <class T, class Less>
struct insertion_sort {
  T* items;
  segment_list<any_offset> segments;
  Less less;
  ORDO_FN void operator()(std::size_t s) const {
    std::size_t const begin = segments.begin(s), end = segments.end(s);
    for (std::size_t i = begin + 1; i < end; ++i) {
      T const item = items[i];
      std::size_t to = i;
      for (; to != begin && less(item, items[to - 1]); --to) items[to] = items[to - 1];
      items[to] = item;
    }
  }
};

template <class T>
struct item_of_segment {
  std::uint32_t segment;
  T item;
};
template <class T, class Less>
struct segment_and_less {
  Less less;
  ORDO_FN bool operator()(item_of_segment<T> const& a, item_of_segment<T> const& b) const {
    return a.segment != b.segment ? a.segment < b.segment : less(a.item, b.item);
  }
};
template <class T>
struct collect_items {
  segment_items from;
  T const* items;
  item_of_segment<T>* to;
  ORDO_FN void operator()(std::size_t t) const {
    std::size_t const s = from.segment_at(t);
    to[t] = {std::uint32_t(s), items[from.position(t, s)]};
  }
};
template <class T>
struct return_items {
  segment_items to;
  item_of_segment<T> const* from;
  T* items;
  ORDO_FN void operator()(std::size_t t) const { items[to.position(t, from[t].segment)] = from[t].item; }
};

template <class B, class T, class Less>
void sort_each_segment(B& backend, std::span<T> items, segment_list<any_offset> const& segments, Less less) {
  // Not std::stable_sort: it leaves the array if `less` is no strict weak order.
  backend.each_worker(segments.size(), [=](auto& worker, std::size_t s) {
    std::size_t const begin = segments.begin(s), length = segments.end(s) - begin;
    if (length <= insertion_length)
      insertion_sort<T, Less>{items.data(), segments, less}(s);
    else if (length < parallel_length)
      worker.sort_by_comparison(items.data() + begin, length, less);
  });
  for (std::size_t s = 0; s < segments.size(); ++s) {
    std::size_t const begin = segments.begin(s), length = segments.end(s) - begin;
    if (length >= parallel_length) backend.sample_sort(items.subspan(begin, length), less);
  }
}

}  // namespace detail

/// Sorts each segment of items of any trivially copyable type by a strict weak order. Stable. Positions in holes are not
/// written. Segments are valid: check_segments.
///
/// On a CPU it takes O(l log l) comparisons for a segment of l items. On a GPU the items of all segments are sorted together in
/// O(n log n), waiting for the device; if max_length or the uniform length is at most 16, one thread sorts one segment by
/// insertion, without temporary memory.
template <Backend B, class T, class Offset, class Less>
void segmented_sample_sort(B& backend, std::span<T> items, segment_list<Offset> segments, Less less) {
  detail::sort_task task;
  task.n = items.size();
  detail::add_segments(task, segments);
  segment_list<detail::any_offset> const any(task);
  if (items.empty() || any.size() == 0) return;
  if constexpr (has_workers<B>) {
    detail::sort_each_segment(backend, items, any, less);
  } else {
    std::size_t const longest = any.uniform_length != 0 ? any.uniform_length : any.max_length;
    if (longest <= detail::insertion_length)
      return backend.each(any.size(), detail::insertion_sort<T, Less>{items.data(), any, less});
    if (any.size() > std::uint32_t{0} - std::uint32_t{1})
      throw usage_error("too many segments: sort by a comparison: " + std::to_string(any.size()) + ", at most 2^32 - 1");
    auto const starts = detail::compute_starts(backend, task);
    detail::segment_items const all{any, starts.data()};
    std::size_t const count = std::size_t(any.uniform_length != 0 ? all.size() : value_at(backend, starts.span(), any.size()));
    auto const sorted = backend.template buffer<detail::item_of_segment<T>>(count);
    backend.each(count, detail::collect_items<T>{all, items.data(), sorted.data()});
    backend.sample_sort(sorted.span(), detail::segment_and_less<T, Less>{less});
    backend.each(count, detail::return_items<T>{all, sorted.data(), items.data()});
  }
}

/// Returns the maximum of bytes that segmented_sample_sort takes from the backend's pool.
/// @throws usage_error  if n items exceed the address space
template <Backend B, class T>
std::size_t segmented_sample_sort_memory(std::size_t n, std::size_t segments, std::size_t max_length) {
  using record = detail::item_of_segment<T>;
  detail::check_extent("items", n, sizeof(record));
  detail::check_extent("segments", segments, 16);
  if constexpr (has_workers<B>)
    return std::min(n, max_length) < detail::parallel_length ? 0 : B::sample_sort_memory(std::min(n, max_length), sizeof(T), 0);
  else
    return max_length <= detail::insertion_length ? 0
                                                  : detail::starts_memory(segments) + pool::rounded(n * sizeof(record)) +
                                                        B::sample_sort_memory(n, sizeof(record), 0);
}

}  // namespace ordo::inline v0
