#pragma once
#include "sort_core/operations/argsort_segments.hpp"
#include "sort_core/operations/merge.hpp"
#include "sort_core/operations/rows.hpp"
#include "sort_core/operations/top_k.hpp"
#include "sort_core/operations/unique.hpp"

// Turns an operation_task into calls of a Backend's operations.
namespace ordo::inline v0::detail {

/// Does the work of run_operation for keys of one width. Compiled once per backend and width.
template <Backend B, class K>
std::uint64_t run_typed_operation(B& backend, operation_task const& task) {
  using operation = operation_task::operation;
  if (task.kind == operation::argsort_segments) run_argsort_segments<B, K>(backend, task);
  if (task.kind == operation::top_k) run_top_k<B, K>(backend, task);
  if (task.kind == operation::segmented_top_k) run_segmented_top_k<B, K>(backend, task);
  if (task.kind == operation::merge) run_merge<B, K>(backend, task);
  return task.kind == operation::unique ? run_unique<B, K>(backend, task) : 0;
}

/// Does the work of run_operation for operations without keys. Compiled once per backend.
template <Backend B>
std::uint64_t run_row_operation(B& backend, operation_task const& task) {
  if (task.kind == operation_task::operation::gather)
    run_gather(backend, task);
  else
    run_argsort_rows(backend, task);
  return 0;
}

/// @returns the number of groups, for unique
template <Backend B>
std::uint64_t run_operation(B& backend, operation_task const& task) {
  using operation = operation_task::operation;
  if constexpr (std::same_as<B, host_backend>) {
    return task.host->run(backend, task);
  } else {
    if (task.kind == operation::argsort_rows || task.kind == operation::gather) return run_row_operation<B>(backend, task);
    return with_key_type(task.sort.key_bytes, [&](auto key) { return run_typed_operation<B, decltype(key)>(backend, task); });
  }
}

/// Returns the maximum of bytes that run_operation takes from the backend's pool.
template <Backend B>
std::size_t memory_of_operation(B& backend, operation_task const& task) {
  using operation = operation_task::operation;
  switch (task.kind) {
    case operation::argsort_segments:
      return task_argsort_segments_memory(backend, task);
    case operation::top_k:
      return task_top_k_memory(backend, task);
    case operation::segmented_top_k:
      return task_segmented_top_k_memory(backend, task);
    case operation::argsort_rows:
      return task_argsort_rows_memory(backend, task);
    case operation::merge:
      return task_merge_memory(task);
    case operation::unique:
      return task_unique_memory(task);
    default:
      return 0;
  }
}

}  // namespace ordo::inline v0::detail
