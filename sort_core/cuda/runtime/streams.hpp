#pragma once
#include <cuda_runtime.h>

#include "sort_core/cuda/runtime/error.cuh"

// Streams and events that end with their objects. Both belong to the device that is current when they are created.
namespace ordo::inline v0::cuda_detail {

/// A stream that waits for no other, owned by the object; or none.
struct own_stream {
  explicit own_stream(bool wanted) {
    if (wanted) ORDO_CUDA(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking));
  }
  ~own_stream() {
    if (handle) static_cast<void>(cudaStreamDestroy(handle));
  }
  own_stream(own_stream const&) = delete;
  own_stream& operator=(own_stream const&) = delete;
  cudaStream_t handle = nullptr;
};

/// An event without a time, created when first needed.
struct own_event {
  own_event() = default;
  ~own_event() {
    if (handle) static_cast<void>(cudaEventDestroy(handle));
  }
  own_event(own_event const&) = delete;
  own_event& operator=(own_event const&) = delete;
  [[nodiscard]] cudaEvent_t get() {
    if (!handle) ORDO_CUDA(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming));
    return handle;
  }
  cudaEvent_t handle = nullptr;
};

}  // namespace ordo::inline v0::cuda_detail
