#pragma once
#include "sort_core/host/backend.hpp"
#include "sort_core/host/few_tasks.hpp"
#include "sort_core/host/packed_order.hpp"
#include "sort_core/host/tasks.hpp"
#include "sort_core/operations/run_operation.hpp"

// The core's operations on the CPU are compiled in sources of their own (CMakeLists.txt).
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::host_backend, std::uint8_t>(host_backend&,
                                                                                                  operation_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::host_backend, std::uint16_t>(host_backend&,
                                                                                                   operation_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::host_backend, std::uint32_t>(host_backend&,
                                                                                                   operation_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::host_backend, std::uint64_t>(host_backend&,
                                                                                                   operation_task const&);
extern template std::uint64_t ordo::detail::run_row_operation<ordo::host_backend>(host_backend&, operation_task const&);

namespace ordo::inline v0::host_detail {

inline std::uint64_t run_rows(host_backend& backend, detail::operation_task const& task) {
  if (task.kind == detail::operation_task::operation::argsort_rows && argsort_packed_rows(backend, task)) return 0;
  return detail::run_row_operation(backend, task);
}

}  // namespace ordo::inline v0::host_detail

/// Defines what operations on keys of `bits` bits refer to, and those on rows.
#define ORDO_HOST_OPERATIONS(bits)                                                                                          \
  template std::uint64_t ordo::detail::run_typed_operation<ordo::host_backend, std::uint##bits##_t>(host_backend&,          \
                                                                                                    operation_task const&); \
  ordo::detail::host_operation_code const ordo::detail::host_operations_##bits{                                             \
      &ordo::host_detail::select_few_keys<std::uint##bits##_t>, &run_typed_operation<host_backend, std::uint##bits##_t>};
#define ORDO_HOST_OPERATIONS_ON_ROWS                                                                                \
  template std::uint64_t ordo::detail::run_row_operation<ordo::host_backend>(host_backend&, operation_task const&); \
  ordo::detail::host_operation_code const ordo::detail::host_operations_on_rows{&ordo::host_detail::run_few_rows,   \
                                                                                &ordo::host_detail::run_rows};
