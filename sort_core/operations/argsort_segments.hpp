#pragma once
#include "sort_core/operations/parts.hpp"

namespace ordo::inline v0::detail {

/// Subtracts the begin of its segment from each position.
struct make_relative {
  segment_items items;
  any_positions index;
  ORDO_FN void operator()(std::size_t t) const {
    if (t >= items.size()) return;
    std::size_t const s = items.segment_at(t), i = items.position(t, s);
    index.set(i, index.at(i) - items.segments.begin(s));
  }
};

template <Backend B, class K>
void run_argsort_segments(B& backend, operation_task const& task) {
  sort_task sort = task.sort;
  if (sort.n == 0) return;
  with_offset_type(sort.value_bytes, [&](auto index) {
    using Index = decltype(index);
    backend.each(sort.n, write_number<Index>{typed_span<Index>(sort.values, sort.n).data()});
  });
  if (sort.segments == 0) return;
  sort.what = sort_task::operation::segments;
  sort.keep_keys = true;
  run_typed_task<B, K>(backend, sort);
  if (!task.relative) return;
  auto const starts = compute_starts(backend, sort);
  backend.each(sort.n, make_relative{{segment_list<any_offset>(sort), starts.data()},
                                     any_positions({sort.values, sort.n, sort.value_bytes})});
}

template <Backend B>
std::size_t task_argsort_segments_memory(B& backend, operation_task const& task) {
  sort_task sort = task.sort;
  sort.what = sort_task::operation::segments;
  sort.keep_keys = true;
  return std::max(memory_of_task(backend, sort), starts_memory(sort.segments));
}

}  // namespace ordo::inline v0::detail
