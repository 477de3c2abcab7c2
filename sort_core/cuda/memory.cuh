#pragma once
#include <cstddef>

#include "sort_core/cuda/error.cuh"
#include "sort_core/memory.hpp"

namespace ordo {

/// Memory of the current device, by cudaMalloc. Freed memory waits for the work that uses it.
class device_memory final : public memory {
 public:
  void* allocate(std::size_t bytes) override {
    void* block = nullptr;
    detail::check_cuda(cudaMalloc(&block, bytes), "cudaMalloc", __FILE__, __LINE__, bytes);
    return block;
  }
  // A failure here is one of an earlier kernel, and is sticky: the next checked call reports it.
  void deallocate(void* block, std::size_t) noexcept override { static_cast<void>(cudaFree(block)); }
};

}  // namespace ordo
