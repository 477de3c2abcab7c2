#pragma once
#include <cstddef>
#include <new>
#include <string>

#include "ordo/gpu.hpp"
#include "ordo/memory.hpp"
#include "sort_core/cuda/error.cuh"

namespace ordo::inline v0 {

/// A memory resource over cudaMalloc on the current device. Freeing waits for the work that uses the memory.
class device_memory final : public memory_resource {
 public:
  void* allocate(std::size_t bytes) override {
    void* block = nullptr;
    cuda_detail::check_cuda(cudaMalloc(&block, bytes), "cudaMalloc", __FILE__, __LINE__, bytes);
    return block;
  }
  [[nodiscard]] std::size_t available() const override {
    std::size_t free = 0, all = 0;
    ORDO_CUDA(cudaMemGetInfo(&free, &all));
    return free;
  }
  // An error here is that of an earlier kernel, and is sticky: the next checked call reports it.
  void deallocate(void* block, std::size_t) noexcept override { static_cast<void>(cudaFree(block)); }
};

/// A memory resource over the caller's allocator, in the order of the backend's stream.
class allocator_memory final : public memory_resource {
 public:
  allocator_memory(device_allocator& source, cudaStream_t stream) : source_(source), stream_(stream) {}
  void* allocate(std::size_t bytes) override {
    try {
      return source_.allocate(bytes, stream_);
    } catch (std::bad_alloc const&) {
      throw out_of_memory("out of memory: the caller's allocator: " + std::to_string(bytes) + " bytes requested", bytes);
    }
  }
  void deallocate(void* block, std::size_t bytes) noexcept override { source_.deallocate(block, bytes, stream_); }

 private:
  device_allocator& source_;
  cudaStream_t stream_;
};

}  // namespace ordo::inline v0
