#pragma once
#include "ordo/backend.hpp"
#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/task.hpp"

namespace ordo::inline v0 {
class host_backend;
}

// The order of many keys or rows by a sort of words alone: a word has the highest bits in which rows differ, and below them the
// position of its row, which makes the order stable. Rows whose words differ in the position only are sorted again by the next
// bits. Vectors sort words in less time than records of a key and a position move.
namespace ordo::inline v0::host_detail {

/// Does the work of argsort for keys of type K, 32 or 64 bits wide. Takes no more memory than the backend's argsort.
/// @returns false, with nothing written, where another way takes less time or memory
template <class K>
bool argsort_packed(host_backend& backend, detail::sort_task const& task);
/// Does the same for argsort_rows.
bool argsort_packed_rows(host_backend& backend, detail::operation_task const& task);

}  // namespace ordo::inline v0::host_detail
