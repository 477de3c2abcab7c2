#pragma once
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>

#include "ordo/machine.hpp"
#include "ordo/sort.hpp"

#pragma GCC visibility push(default)

struct CUstream_st;  // cudaStream_t is CUstream_st*

namespace ordo::inline v0 {

class cuda_backend;

/// A source of temporary memory for a GPU, in place of the machine's own pool. Memory is allocated and freed in the order of a
/// stream, as by cudaMallocFromPoolAsync, RMM's device_memory_resource and PyTorch's caching allocator.
class device_allocator {
 public:
  virtual ~device_allocator() = default;
  /// Allocates at least `bytes` bytes of device memory, aligned to 256, for work that is queued on the stream from now on. The
  /// machine's device is current.
  /// @throws std::bad_alloc or ordo::out_of_memory  if there is no more memory
  virtual void* allocate(std::size_t bytes, CUstream_st* stream) = 0;
  /// Frees a block. Work that uses the block may still be queued on `stream`, but on no other.
  virtual void deallocate(void* block, std::size_t bytes, CUstream_st* stream) noexcept = 0;
};

struct gpu_options {
  /// The index of the GPU, from 0, among those that the driver shows (CUDA_VISIBLE_DEVICES).
  unsigned device = 0;
  /// The stream on which work is queued; nullptr is CUDA's default stream. If not set, the machine creates a stream that waits
  /// for no other.
  std::optional<CUstream_st*> stream = {};
  /// The source of temporary memory, which must outlive the machine. By default the machine has a pool over cudaMalloc that
  /// caches freed blocks.
  device_allocator* allocator = nullptr;
  /// The maximum of device memory that the machine allocates, in bytes. ORDO_GPU_MEMORY sets another maximum; the lower one
  /// holds.
  std::size_t memory_limit = std::numeric_limits<std::size_t>::max();
};

/// A GPU as a machine: a device, a stream, and temporary memory that is reused from call to call. Construction allocates
/// nothing: the first call creates the stream, allocates memory and loads the kernels. Destruction waits for the stream and
/// frees everything.
///
/// Calls queue their work on the machine's stream, and leave the calling thread's current device unchanged. sort.hpp states
/// which calls wait for the device. One object must not be used by two threads at a time; different objects may, on the same
/// GPU or on others.
class gpu final : public machine {
 public:
  explicit gpu(gpu_options const& options = {});
  ~gpu() override;
  gpu(gpu&& other) noexcept;
  gpu& operator=(gpu&& other) noexcept;

  [[nodiscard]] ordo::device kind() const noexcept override { return ordo::device::gpu; }
  /// Returns the index of the GPU.
  [[nodiscard]] unsigned index() const noexcept;
  /// Returns the stream on which work is queued. @throws usage_error  if there is no such GPU, or the build has no GPU support
  /// @throws device_error  if a CUDA call fails
  [[nodiscard]] CUstream_st* stream();
  /// Waits for all queued work. @throws device_error  if any of it failed
  void synchronize();

  void reserve(std::size_t bytes) override;
  void trim(std::size_t max_bytes = 0) noexcept override;
  std::size_t peak_memory() noexcept override;
  void run(detail::sort_task const& task) override;
  [[nodiscard]] std::size_t memory_for(detail::sort_task const& task) override;
  std::uint64_t stream(detail::stream_task const& task) override;

  /// Returns the Backend that gpu.cuh and the libraries run algorithms on. The machine's device must be current: call
  /// with_backend.
  [[nodiscard]] cuda_backend& backend();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
