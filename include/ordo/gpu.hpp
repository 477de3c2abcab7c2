#pragma once
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>

#include "ordo/machine.hpp"
#include "ordo/sort.hpp"

struct CUstream_st;  // cudaStream_t is a pointer to it

namespace ordo {

class cuda_backend;

/// Where a GPU machine's temporary memory comes from, if not from a pool of its own. Fits cudaMallocFromPoolAsync, RMM's
/// device_memory_resource and PyTorch's caching allocator: memory is asked for and given back in the order of a stream.
class device_allocator {
 public:
  virtual ~device_allocator() = default;
  /// At least `bytes` bytes of the device, aligned to 256, ready for what is queued on the stream from now on. The machine's
  /// device is current. @throws std::bad_alloc, ordo::out_of_memory  there is no more
  virtual void* allocate(std::size_t bytes, CUstream_st* stream) = 0;
  /// Work that uses the block may still be queued on the stream, no other.
  virtual void deallocate(void* block, std::size_t bytes, CUstream_st* stream) noexcept = 0;
};

struct gpu_options {
  /// As the driver counts the GPUs it shows (CUDA_VISIBLE_DEVICES), from 0.
  unsigned device = 0;
  /// The caller's stream; none: one of the machine's own, which waits for no other. nullptr is CUDA's default stream.
  std::optional<CUstream_st*> stream = {};
  /// The caller's, which must outlive the machine; none: a pool of the machine's own over cudaMalloc, which keeps freed blocks.
  device_allocator* allocator = nullptr;
  /// Most bytes of device memory that the machine takes; ORDO_GPU_MEMORY counts too.
  std::size_t memory_limit = std::numeric_limits<std::size_t>::max();
};

/// A GPU, as its user holds it. Making one asks nobody: stream, memory and kernels come with the first call, and are kept for
/// the next; destruction waits for the stream and gives all back. Calls queue their work on the machine's stream and leave the
/// calling thread's current device as it was; which of them wait for the device, sort.hpp says. One thread at a time; several
/// machines, on one GPU or on more, work at the same time.
class gpu final : public machine {
 public:
  explicit gpu(gpu_options const& how = {});
  ~gpu() override;
  gpu(gpu&& other) noexcept;
  gpu& operator=(gpu&& other) noexcept;

  [[nodiscard]] ordo::device kind() const noexcept override { return ordo::device::gpu; }
  /// The index of its GPU.
  [[nodiscard]] unsigned index() const noexcept;
  /// Where its work is queued. @throws usage_error  there is no such GPU, or no GPU in this build; device_error
  [[nodiscard]] CUstream_st* stream();
  /// Waits for all that is queued. @throws device_error  what of it failed
  void synchronize();

  void reserve(std::size_t bytes) override;
  void trim(std::size_t keep = 0) noexcept override;
  std::size_t peak_memory() noexcept override;
  void run(detail::sort_task const& task) override;
  [[nodiscard]] std::size_t memory_for(detail::sort_task const& task) override;
  std::uint64_t stream(detail::stream_task const& task) override;

  /// For gpu.cuh and the libraries: the machine as algorithms see it. Its device must be current: with_backend sees to it.
  [[nodiscard]] cuda_backend& backend();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo
