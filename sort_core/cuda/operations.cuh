#pragma once
#include "sort_core/cuda/backend.cuh"
#include "sort_core/operations/run_operation.hpp"

// The core's operations on a GPU are compiled in sources of their own (CMakeLists.txt), and their sorts in gpu.cu.
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

/// Instantiates the operations on keys of `bits` bits, and those on rows.
#define ORDO_CUDA_OPERATIONS(bits)                                                                                           \
  template std::uint64_t ordo::detail::run_typed_operation<ordo::cuda_backend, std::uint##bits##_t>(ordo::cuda_backend&,    \
                                                                                                    operation_task const&);
#define ORDO_CUDA_OPERATIONS_ON_ROWS \
  template std::uint64_t ordo::detail::run_row_operation<ordo::cuda_backend>(ordo::cuda_backend&, operation_task const&);
