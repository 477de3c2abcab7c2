#pragma once
#include "sort_core/algorithms/run_task.hpp"
#include "sort_core/host/backend.hpp"

// The core's sorts on the CPU are compiled in one source per width of keys (CMakeLists.txt): together they take minutes.
extern template void ordo::detail::run_typed_task<ordo::host_backend, std::uint8_t>(host_backend&, sort_task const&);
extern template void ordo::detail::run_typed_task<ordo::host_backend, std::uint16_t>(host_backend&, sort_task const&);
extern template void ordo::detail::run_typed_task<ordo::host_backend, std::uint32_t>(host_backend&, sort_task const&);
extern template void ordo::detail::run_typed_task<ordo::host_backend, std::uint64_t>(host_backend&, sort_task const&);
