#pragma once
#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/task.hpp"

// Sorts of few items by the calling thread, on its stack: a backend's memory and threads take longer than the sort. Arguments
// are checked already. Each writes the bytes that run_task or run_operation writes, or returns false, with nothing written.
namespace ordo::inline v0::host_detail {

/// Sorts the keys of a task, which have type K.
template <class K>
bool run_few_keys(detail::sort_task const& task) noexcept;
/// Does the work of top_k. @throws std::bad_alloc
template <class K>
bool select_few_keys(detail::operation_task const& task);
/// Does the work of argsort_rows. @throws std::bad_alloc
bool run_few_rows(detail::operation_task const& task);

}  // namespace ordo::inline v0::host_detail
