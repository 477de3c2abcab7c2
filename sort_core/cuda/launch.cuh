#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sort_core/cuda/error.cuh"

namespace ordo::detail {

/// The most shared memory that a block can have on this card. Where there is none, a sort's memory is told for a large one:
/// machines without a GPU ask for it too, to decide where to work.
inline std::size_t shared_memory_limit() {
  static std::size_t const limit = [] {
    int bytes = 0;
    if (cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) == cudaSuccess) return std::size_t(bytes);
    static_cast<void>(cudaGetLastError());
    return ~std::size_t{0};
  }();
  return limit;
}

/// Blocks of a kernel that the device holds at once. Raises the kernel's limit of shared memory on the way.
template <auto* Kernel>
unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
  // Asked once: every machine of a process is on device 0, and a kernel is always launched with so many threads.
  static unsigned const multiprocessors = [] {
    cudaFuncAttributes of_kernel{};
    ORDO_CUDA(cudaFuncGetAttributes(&of_kernel, Kernel));
    ORDO_CUDA(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   int(shared_memory_limit() - of_kernel.sharedSizeBytes)));
    int count = 0;
    ORDO_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return unsigned(count);
  }();
  // The last answer, and above its 32 bits, to which question.
  static std::atomic<std::uint64_t> known = 0;
  std::uint64_t const asked = std::uint64_t(shared_bytes + 1) << 32;
  if (std::uint64_t const last = known; last >> 32 == asked >> 32) return unsigned(last);
  int of_multiprocessor = 0;
  ORDO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, Kernel, int(threads), shared_bytes));
  unsigned const blocks = unsigned(std::max(of_multiprocessor, 1)) * multiprocessors;
  known = asked | blocks;
  return blocks;
}

inline unsigned blocks_for(std::size_t items, std::size_t of_a_block) {
  return unsigned(std::min<std::size_t>(items / of_a_block + 1, 1u << 20));
}

/// May a kernel be launched while the one before it ends? Then some 1.5 microseconds pass from one that has nothing to do to
/// the next, else 3, and a segmented sort has up to 35. Graphs hold such launches since CUDA 12.3. With a signal of their own
/// at the start, so that the next may come sooner still, kernels that have work were slower.
inline bool may_overlap() {
  static bool const may = [] {
    int major = 0, driver = 0;
    ORDO_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    ORDO_CUDA(cudaDriverGetVersion(&driver));
    return major >= 9 && std::min(driver, CUDART_VERSION) >= 12030;
  }();
  return may;
}

/// Launch so many blocks of a kernel, which calls wait_for_previous() before all else.
template <class... Parameters, class... Arguments>
void launch_blocks(void (*kernel)(Parameters...), cudaStream_t stream, unsigned blocks, unsigned threads,
                   std::size_t shared_bytes, bool together, Arguments const&... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (may_overlap()) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (together) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count++].val.cooperative = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  ORDO_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/// Launch a kernel whose blocks share its work whatever their number: as many as are wanted, but no more than run at once.
template <auto* Kernel, class... Arguments>
void launch(cudaStream_t stream, unsigned wanted, unsigned threads, std::size_t shared_bytes, Arguments const&... arguments) {
  launch_blocks(Kernel, stream, std::min(wanted, resident_blocks<Kernel>(threads, shared_bytes)), threads, shared_bytes, false,
                arguments...);
}

/// Launch a kernel whose blocks wait for each other: as many as run at once.
template <auto* Kernel, class... Arguments>
void launch_together(cudaStream_t stream, unsigned threads, std::size_t shared_bytes, Arguments const&... arguments) {
  launch_blocks(Kernel, stream, resident_blocks<Kernel>(threads, shared_bytes), threads, shared_bytes, true, arguments...);
}

}  // namespace ordo::detail
