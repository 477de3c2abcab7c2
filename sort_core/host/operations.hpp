#pragma once
#include "sort_core/host/backend.hpp"
#include "sort_core/host/tasks.hpp"
#include "sort_core/operations/run_operation.hpp"

// The core's operations on the CPU are compiled in one source per width of keys (CMakeLists.txt).
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::host_backend, std::uint8_t>(host_backend&,
                                                                                                  operation_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::host_backend, std::uint16_t>(host_backend&,
                                                                                                   operation_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::host_backend, std::uint32_t>(host_backend&,
                                                                                                   operation_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::host_backend, std::uint64_t>(host_backend&,
                                                                                                   operation_task const&);
extern template std::uint64_t ordo::detail::run_row_operation<ordo::host_backend>(host_backend&, operation_task const&);
