#pragma once
#include <cstddef>
#include <new>
#include <string>

#include "ordo/gpu.hpp"
#include "ordo/memory.hpp"
#include "sort_core/cuda/runtime/error.cuh"

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

inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ORDO_CUDA(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

/// A memory resource over cudaMallocAsync on the current device, in the order of a stream. Nothing waits.
class stream_memory final : public memory_resource {
 public:
  explicit stream_memory(cudaStream_t stream) : stream_(stream) {}
  /// Returns true if the current device can do this.
  static bool possible() {
    int device = 0, supported = 0;
    ORDO_CUDA(cudaGetDevice(&device));
    ORDO_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
    return supported != 0;
  }
  void* allocate(std::size_t bytes) override {
    void* block = nullptr;
    cuda_detail::check_cuda(cudaMallocAsync(&block, bytes, stream_), "cudaMallocAsync", __FILE__, __LINE__, bytes);
    return block;
  }
  [[nodiscard]] std::size_t available() const override { return device_memory().available(); }
  void deallocate(void* block, std::size_t) noexcept override { static_cast<void>(cudaFreeAsync(block, stream_)); }
  void use(cudaStream_t stream) noexcept { stream_ = stream; }

 private:
  cudaStream_t stream_;
};

/// A memory resource that refuses to allocate while work on a stream is captured in a graph: the memory would belong to the
/// graph, or the capture would fail.
class uncaptured_memory final : public memory_resource {
 public:
  /// @param stream  the variable that holds the stream
  uncaptured_memory(memory_resource& source, cudaStream_t const& stream) : source_(source), stream_(stream) {}
  void check_allocation(std::size_t bytes) const override {
    if (is_capturing(stream_))
      throw usage_error("CUDA graph: capture: " + std::to_string(bytes) +
                        " bytes of temporary memory must be allocated: reserve the memory before the capture");
  }
  void* allocate(std::size_t bytes) override { return source_.allocate(bytes); }
  void deallocate(void* block, std::size_t bytes) noexcept override { source_.deallocate(block, bytes); }
  [[nodiscard]] std::size_t available() const override { return source_.available(); }

 private:
  memory_resource& source_;
  cudaStream_t const& stream_;
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
  void use(cudaStream_t stream) noexcept { stream_ = stream; }

 private:
  device_allocator& source_;
  cudaStream_t stream_;
};

}  // namespace ordo::inline v0
