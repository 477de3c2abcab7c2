#pragma once
#include "sort_core/algorithms/run_task.hpp"
#include "sort_core/host/backend.hpp"
#include "sort_core/host/few_tasks.hpp"
#include "sort_core/host/packed_order.hpp"

// The core's sorts on the CPU are compiled in one source per width of keys (CMakeLists.txt): together they take minutes.
extern template void ordo::detail::run_typed_task<ordo::host_backend, std::uint8_t>(host_backend&, sort_task const&);
extern template void ordo::detail::run_typed_task<ordo::host_backend, std::uint16_t>(host_backend&, sort_task const&);
extern template void ordo::detail::run_typed_task<ordo::host_backend, std::uint32_t>(host_backend&, sort_task const&);
extern template void ordo::detail::run_typed_task<ordo::host_backend, std::uint64_t>(host_backend&, sort_task const&);

namespace ordo::inline v0::host_detail {

template <class K>
void run_keys(host_backend& backend, detail::sort_task const& task) {
  if constexpr (sizeof(K) >= 4)
    if (argsort_packed<K>(backend, task)) return;
  detail::run_typed_task<host_backend, K>(backend, task);
}

}  // namespace ordo::inline v0::host_detail

/// Defines what tasks of keys of `bits` bits refer to.
#define ORDO_HOST_CODE(bits)                                                                                            \
  template void ordo::detail::run_typed_task<ordo::host_backend, std::uint##bits##_t>(host_backend&, sort_task const&); \
  ordo::detail::host_code const ordo::detail::host_code_##bits{&ordo::host_detail::run_few_keys<std::uint##bits##_t>,   \
                                                               &ordo::host_detail::run_keys<std::uint##bits##_t>};
