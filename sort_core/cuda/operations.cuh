#pragma once
#include "sort_core/cuda/backend.cuh"
#include "sort_core/operations/run_operation.hpp"

// The core's operations on a GPU are compiled in one source per width of keys (CMakeLists.txt), and their sorts in gpu.cu.
extern template void ordo::detail::run_typed_task<ordo::cuda_backend, std::uint8_t>(cuda_backend&, sort_task const&);
extern template void ordo::detail::run_typed_task<ordo::cuda_backend, std::uint16_t>(cuda_backend&, sort_task const&);
extern template void ordo::detail::run_typed_task<ordo::cuda_backend, std::uint32_t>(cuda_backend&, sort_task const&);
extern template void ordo::detail::run_typed_task<ordo::cuda_backend, std::uint64_t>(cuda_backend&, sort_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::cuda_backend, std::uint8_t>(cuda_backend&,
                                                                                                  operation_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::cuda_backend, std::uint16_t>(cuda_backend&,
                                                                                                   operation_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::cuda_backend, std::uint32_t>(cuda_backend&,
                                                                                                   operation_task const&);
extern template std::uint64_t ordo::detail::run_typed_operation<ordo::cuda_backend, std::uint64_t>(cuda_backend&,
                                                                                                   operation_task const&);
extern template std::uint64_t ordo::detail::run_row_operation<ordo::cuda_backend>(cuda_backend&, operation_task const&);
