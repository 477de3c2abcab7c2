#pragma once
#include "sort_core/host/backend.hpp"
#include "sort_core/run_task.hpp"

// The core's sorts on the CPU have a source for each width of keys (CMakeLists.txt): together they take minutes to compile.
extern template void ordo::detail::run_task_on<ordo::host_backend, std::uint8_t>(host_backend&, sort_task const&);
extern template void ordo::detail::run_task_on<ordo::host_backend, std::uint16_t>(host_backend&, sort_task const&);
extern template void ordo::detail::run_task_on<ordo::host_backend, std::uint32_t>(host_backend&, sort_task const&);
extern template void ordo::detail::run_task_on<ordo::host_backend, std::uint64_t>(host_backend&, sort_task const&);
