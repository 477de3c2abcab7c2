#pragma once
#include "ordo/detail/operation_task.hpp"

namespace ordo::inline v0::detail {

/// Checks all that the host knows of the arguments of an operation: lengths, widths, alignment, null pointers, uniform
/// segments, and outputs that overlap inputs or each other. @throws usage_error  before anything is read or written
void check_operation(operation_task const& task);

/// Checks that positions and lengths of the operation's types can hold those of its arrays.
void check_operation_width(operation_task const& task);

/// Checks the lengths from which memory_for computes the memory of an operation.
void check_operation_extents(operation_task const& task);

}  // namespace ordo::inline v0::detail
