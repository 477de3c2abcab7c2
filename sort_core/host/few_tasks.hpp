#pragma once
#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/task.hpp"

// Sorts of few items by the calling thread, on its stack: a backend's memory and threads take longer than the sort.
namespace ordo::inline v0::host_detail {

/// Does the work of run_task and run_operation for tasks of few items. Arguments are checked already. Writes the bytes that
/// these write.
/// @returns false, with nothing written, for other tasks
bool run_few(detail::sort_task const& task) noexcept;
/// @throws std::bad_alloc
bool run_few(detail::operation_task const& task);

}  // namespace ordo::inline v0::host_detail
