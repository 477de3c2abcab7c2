#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

#include "sort_core/cuda/runtime/error.cuh"

namespace ordo::inline v0::cuda_detail {

/// Returns the maximum of shared memory per block on the current device. Without a device it returns that of a large GPU,
/// because hosts without a GPU also compute the memory of sorts.
inline std::size_t shared_memory_limit() {
  struct answer {
    int device = -1, bytes = 0;
  };
  static thread_local answer known;
  int device = 0, bytes = 0;
  if (cudaGetDevice(&device) == cudaSuccess) {
    if (device == known.device) return std::size_t(known.bytes);
    if (cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess) {
      known = {device, bytes};
      return std::size_t(bytes);
    }
  }
  static_cast<void>(cudaGetLastError());
  return ~std::size_t{0};
}

/// Launches kernels on a stream. It caches the properties of each kernel on the stream's device, because querying them takes
/// longer than a launch. The device must be current.
class kernel_launcher {
 public:
  explicit kernel_launcher(cudaStream_t stream) : stream_(stream) {}
  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_; }
  /// Launches later kernels on another stream of the same device.
  void use(cudaStream_t stream) noexcept { stream_ = stream; }

  struct kernel_facts {
    bool known = false;
    /// True if the kernel may be launched while the previous one ends. Then about 1.5 microseconds pass between two idle
    /// kernels instead of 3, and a segmented sort has up to 35 kernels. Graphs support this since CUDA 12.3. An explicit
    /// trigger at the kernel's start, which would allow the next one even earlier, made kernels with work slower.
    bool may_overlap = false;
    // The last query for the number of resident blocks, and its result.
    std::size_t shared_bytes = ~std::size_t{0};
    unsigned resident_blocks = 0;
  };

  /// Raises the kernel's limit of shared memory if needed.
  template <auto* Kernel>
  kernel_facts& facts_for() {
    static std::size_t const number = next_number()++;
    if (number >= facts_.size()) facts_.resize(number + 1);
    kernel_facts& facts = facts_[number];
    if (!facts.known) {
      cudaFuncAttributes of_kernel{};
      ORDO_CUDA(cudaFuncGetAttributes(&of_kernel, Kernel));
      ORDO_CUDA(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     int(shared_memory_limit() - of_kernel.sharedSizeBytes)));
      // The PTX version decides, not the device: wait_for_previous() is empty in code for less than 9.0, which newer GPUs also
      // run, because the driver compiles it from PTX.
      bool const waits = of_kernel.ptxVersion >= 90;
      facts.may_overlap = waits && driver_overlaps();
      facts.known = true;
    }
    return facts;
  }

  /// Returns the number of blocks that the device can run at once. The kernel is always launched with `threads` threads.
  template <auto* Kernel>
  unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
    kernel_facts& facts = facts_for<Kernel>();
    if (facts.shared_bytes != shared_bytes) {
      int of_multiprocessor = 0;
      ORDO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, Kernel, int(threads), shared_bytes));
      facts.resident_blocks = unsigned(std::max(of_multiprocessor, 1)) * multiprocessors();
      facts.shared_bytes = shared_bytes;
    }
    return facts.resident_blocks;
  }

 private:
  unsigned multiprocessors() {
    if (multiprocessors_ == 0) {
      int device = 0;
      ORDO_CUDA(cudaGetDevice(&device));
      ORDO_CUDA(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
    }
    return unsigned(multiprocessors_);
  }
  /// Kernels are numbered in the order of their first launch, by any backend.
  static std::atomic<std::size_t>& next_number() {
    static std::atomic<std::size_t> next = 0;
    return next;
  }
  static bool driver_overlaps() {
    int driver = 0;
    ORDO_CUDA(cudaDriverGetVersion(&driver));
    return std::min(driver, CUDART_VERSION) >= 12030;
  }

  cudaStream_t stream_;
  int multiprocessors_ = 0;
  std::vector<kernel_facts> facts_;  // by the kernel's number: a hash table took a tenth of a launch
};

inline unsigned blocks_for(std::size_t items, std::size_t of_a_block) {
  return unsigned(std::min<std::size_t>(items / of_a_block + 1, 1u << 20));
}

/// Launches `blocks` blocks of a kernel, which must call wait_for_previous() first.
template <auto* Kernel, class... Arguments>
void launch_blocks(kernel_launcher& on, unsigned blocks, unsigned threads, std::size_t shared_bytes, bool cooperative,
                   Arguments const&... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (on.facts_for<Kernel>().may_overlap) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (cooperative) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count++].val.cooperative = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = on.stream();
  config.attrs = attributes;
  config.numAttrs = count;
  ORDO_CUDA(cudaLaunchKernelEx(&config, Kernel, arguments...));
}

/// Launches a kernel whose blocks share the work, whatever their number: `wanted` blocks, but no more than can run at once.
template <auto* Kernel, class... Arguments>
void launch(kernel_launcher& on, unsigned wanted, unsigned threads, std::size_t shared_bytes, Arguments const&... arguments) {
  launch_blocks<Kernel>(on, std::min(wanted, on.resident_blocks<Kernel>(threads, shared_bytes)), threads, shared_bytes, false,
                        arguments...);
}

/// Launches a kernel whose blocks share the work and wait for each other: `wanted` blocks, but no more than can run at once.
template <auto* Kernel, class... Arguments>
void launch_some_cooperative(kernel_launcher& on, unsigned wanted, unsigned threads, std::size_t shared_bytes,
                             Arguments const&... arguments) {
  launch_blocks<Kernel>(on, std::min(wanted, on.resident_blocks<Kernel>(threads, shared_bytes)), threads, shared_bytes, true,
                        arguments...);
}

/// The same with as many blocks as can run at once.
template <auto* Kernel, class... Arguments>
void launch_cooperative(kernel_launcher& on, unsigned threads, std::size_t shared_bytes, Arguments const&... arguments) {
  launch_some_cooperative<Kernel>(on, ~0u, threads, shared_bytes, arguments...);
}

}  // namespace ordo::inline v0::cuda_detail
