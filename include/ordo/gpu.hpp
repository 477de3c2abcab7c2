#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/machine.hpp"
#include "ordo/sort.hpp"

#pragma GCC visibility push(default)

struct CUstream_st;  // cudaStream_t is CUstream_st*

namespace ordo::inline v0 {

class cuda_backend;
class gpu_view;

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

/// The settings of a gpu.
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
  /// If true, sorts of whole arrays (sort_keys, sort_pairs, argsort) never wait for the device: they choose their method by the
  /// number and type of the items alone, as they do while a CUDA graph is captured. Results are the same bytes. Large arrays of
  /// even 64-bit keys take longer then.
  bool capturable = false;
};

/// A GPU as a machine: a device, a stream, and temporary memory that is reused from call to call. Construction allocates
/// nothing: the first call creates the stream, allocates memory and loads the kernels. Destruction frees everything. It waits
/// for a stream of the machine's own. It does not wait for a stream of the caller's, if memory is freed in the order of the
/// stream: by an allocator, or where the device supports cudaFreeAsync.
///
/// A CUDA graph can capture sorts of whole arrays, segments and arrays from the machine's stream, once the pool holds their
/// memory (reserve, or an earlier call). During a capture, a call that would have to wait for the device or allocate memory
/// from the machine's own pool throws usage_error, and the capture goes on. A graph uses the machine's temporary memory: its
/// launches must be ordered with other calls of the machine, as on one stream they are.
///
/// Calls queue their work on the machine's stream, and leave the calling thread's current device unchanged. sort.hpp states
/// which calls wait for the device. One object must not be used by two threads at a time; different objects may, on the same
/// GPU or on others. A call throws usage_error if another thread is in a call of the same object, or if the object was moved
/// from.
class gpu final : public machine {
 public:
  explicit gpu(gpu_options const& options = {});
  ~gpu() override;
  gpu(gpu&& other) noexcept;
  gpu& operator=(gpu&& other) noexcept;

  [[nodiscard]] ordo::device kind() const noexcept override { return ordo::device::gpu; }
  /// Returns the index of the GPU.
  [[nodiscard]] unsigned index() const;
  /// Returns the stream on which work is queued. @throws usage_error  if there is no such GPU, or the build has no GPU support
  /// @throws device_error  if a CUDA call fails
  [[nodiscard]] CUstream_st* stream();
  /// Returns the same machine on another stream of its device: a view that shares the device, the memory and the limits, and
  /// queues its calls on `stream`. Allocates nothing and does not wait. It must not be used after this machine's destruction,
  /// nor by another thread at the same time as the machine or another view.
  ///
  /// Calls on different streams may use the same temporary memory. Each therefore begins, on the device, after the calls of
  /// the machine and its views before it. With an allocator, and without a reservation, calls share no memory and run side by
  /// side. During a capture of `stream` no such order is made. reserve and trim work as on the machine itself.
  /// @throws usage_error  from calls of the view, if the stream of the call before is being captured
  /// @code
  ///   ordo::sort_keys(gpu.with_stream(stream), std::span(device_floats, n));
  /// @endcode
  [[nodiscard]] gpu_view with_stream(CUstream_st* stream) const noexcept;
  /// Waits for all queued work. @throws device_error  if any of it failed
  void synchronize();

  void reserve(std::size_t bytes) override;
  void trim(std::size_t max_bytes = 0) noexcept override;
  std::size_t peak_memory() noexcept override;
  void run(detail::sort_task const& task) override;
  [[nodiscard]] std::size_t memory_for(detail::sort_task const& task) override;
  std::uint64_t run(detail::operation_task const& task) override;
  [[nodiscard]] std::size_t memory_for(detail::operation_task const& task) override;
  std::uint64_t stream(detail::stream_task const& task) override;

  /// Returns the Backend that gpu.cuh and the libraries run algorithms on. The machine's device must be current: call
  /// with_backend.
  [[nodiscard]] cuda_backend& backend();
  /// Returns the stream of a view; nothing if this is the machine itself.
  [[nodiscard]] std::optional<CUstream_st*> view_stream() const noexcept { return view_stream_; }

 private:
  struct state;
  gpu(state* shared, CUstream_st* stream) noexcept;
  [[nodiscard]] state& checked() const;

  std::unique_ptr<state> own_;  // null in a view
  state* state_;                // null if moved from
  std::optional<CUstream_st*> view_stream_;
};

/// A gpu on another stream, as gpu::with_stream returns it. It can be passed, also as a temporary object, wherever a gpu or a
/// machine is expected.
class gpu_view {
 public:
  operator gpu&() noexcept { return on_; }
  operator machine&() noexcept { return on_; }
  [[nodiscard]] gpu& operator*() noexcept { return on_; }
  [[nodiscard]] gpu* operator->() noexcept { return &on_; }

 private:
  friend class gpu;
  explicit gpu_view(gpu&& on) noexcept : on_(std::move(on)) {}
  gpu on_;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
