#pragma once
#include <cstddef>
#include <string>

#include <cuda_runtime.h>

#include "ordo/error.hpp"

namespace ordo::inline v0::cuda_detail {

/// Throws the exception for a failed CUDA call: out_of_memory for cudaErrorMemoryAllocation, else device_error. The message
/// names the call, the device, the source line, and the bytes if there are any.
[[noreturn]] void throw_cuda(cudaError_t status, char const* call, char const* file, int line, std::size_t bytes);

inline void check_cuda(cudaError_t status, char const* call, char const* file, int line, std::size_t bytes = 0) {
  if (status != cudaSuccess) throw_cuda(status, call, file, line, bytes);
}

}  // namespace ordo::inline v0::cuda_detail

#define ORDO_CUDA(call) ::ordo::cuda_detail::check_cuda((call), #call, __FILE__, __LINE__)
