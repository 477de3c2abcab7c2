#pragma once
#include <cstddef>
#include <new>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/util/Exception.h>

#include "ordo/gpu.hpp"

// Temporary memory of a gpu from PyTorch's caching allocator, for extensions of PyTorch. Needs PyTorch's headers and library.
namespace ordo::inline v0 {

/// A device_allocator over PyTorch's caching allocator, so that tensors and sorts share one pool. Memory belongs to the stream
/// that it was allocated on, as PyTorch requires. If memory runs out, sorts throw ordo::out_of_memory.
/// @code
///   ordo::torch_allocator allocator;
///   ordo::gpu gpu({.device = unsigned(tensor.get_device()),
///                  .stream = at::cuda::getCurrentCUDAStream(tensor.get_device()).stream(),
///                  .allocator = &allocator});
///   ordo::sort_keys(gpu, std::span(tensor.data_ptr<float>(), std::size_t(tensor.numel())));
/// @endcode
class torch_allocator final : public device_allocator {
 public:
  void* allocate(std::size_t bytes, CUstream_st* stream) override {
    try {
      return c10::cuda::CUDACachingAllocator::raw_alloc_with_stream(bytes, stream);
    } catch (c10::OutOfMemoryError const&) {
      throw std::bad_alloc();
    }
  }
  void deallocate(void* block, std::size_t /*bytes*/, CUstream_st* /*stream*/) noexcept override {
    c10::cuda::CUDACachingAllocator::raw_delete(block);
  }
};

}  // namespace ordo::inline v0
