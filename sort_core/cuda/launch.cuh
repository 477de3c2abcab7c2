#pragma once
#include <algorithm>
#include <cstddef>

#include "sort_core/cuda/error.cuh"

namespace ordo::detail {

/// The most shared memory that a block can have on the device in use. Where there is none, a sort's memory is told for a large
/// one: machines without a GPU ask for it too, to decide where to work.
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

/// What a launch has to know of a kernel on the device in use. Each thread keeps its last answers, since asking takes longer
/// than a launch; it asks anew on another device.
struct kernel_facts {
  int device = -1;
  /// May it be launched while the kernel before it ends? Then some 1.5 microseconds pass from one that has nothing to do to the
  /// next, else 3, and a segmented sort has up to 35. Graphs hold such launches since CUDA 12.3. With a signal of their own
  /// at the start, so that the next may come sooner still, kernels that have work were slower.
  bool may_overlap = false;
  unsigned multiprocessors = 0;
  // The last answer about blocks, and the question.
  std::size_t shared_bytes = ~std::size_t{0};
  unsigned blocks = 0;
};

/// Raises the kernel's limit of shared memory on the way.
template <auto* Kernel>
kernel_facts& facts_of() {
  static thread_local kernel_facts facts;
  int device = 0;
  ORDO_CUDA(cudaGetDevice(&device));
  if (facts.device != device) {
    cudaFuncAttributes of_kernel{};
    ORDO_CUDA(cudaFuncGetAttributes(&of_kernel, Kernel));
    ORDO_CUDA(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   int(shared_memory_limit() - of_kernel.sharedSizeBytes)));
    int multiprocessors = 0, driver = 0;
    ORDO_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    ORDO_CUDA(cudaDriverGetVersion(&driver));
    // Not the device decides: wait_for_previous() is empty in code for less than 9.0, which newer cards run too, as the driver
    // compiles it from PTX.
    bool const waits = of_kernel.ptxVersion >= 90;
    facts = {};
    facts.may_overlap = waits && std::min(driver, CUDART_VERSION) >= 12030;
    facts.multiprocessors = unsigned(multiprocessors);
    facts.device = device;
  }
  return facts;
}

/// Blocks of a kernel, which is always launched with so many threads, that the device holds at once.
template <auto* Kernel>
unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
  kernel_facts& facts = facts_of<Kernel>();
  if (facts.shared_bytes != shared_bytes) {
    int of_multiprocessor = 0;
    ORDO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, Kernel, int(threads), shared_bytes));
    facts.blocks = unsigned(std::max(of_multiprocessor, 1)) * facts.multiprocessors;
    facts.shared_bytes = shared_bytes;
  }
  return facts.blocks;
}

inline unsigned blocks_for(std::size_t items, std::size_t of_a_block) {
  return unsigned(std::min<std::size_t>(items / of_a_block + 1, 1u << 20));
}

/// Launch so many blocks of a kernel, which calls wait_for_previous() before all else.
template <auto* Kernel, class... Arguments>
void launch_blocks(cudaStream_t stream, unsigned blocks, unsigned threads, std::size_t shared_bytes, bool together,
                   Arguments const&... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (facts_of<Kernel>().may_overlap) {
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
  ORDO_CUDA(cudaLaunchKernelEx(&config, Kernel, arguments...));
}

/// Launch a kernel whose blocks share its work whatever their number: as many as are wanted, but no more than run at once.
template <auto* Kernel, class... Arguments>
void launch(cudaStream_t stream, unsigned wanted, unsigned threads, std::size_t shared_bytes, Arguments const&... arguments) {
  launch_blocks<Kernel>(stream, std::min(wanted, resident_blocks<Kernel>(threads, shared_bytes)), threads, shared_bytes, false,
                        arguments...);
}

/// Launch a kernel whose blocks wait for each other: as many as run at once.
template <auto* Kernel, class... Arguments>
void launch_together(cudaStream_t stream, unsigned threads, std::size_t shared_bytes, Arguments const&... arguments) {
  launch_blocks<Kernel>(stream, resident_blocks<Kernel>(threads, shared_bytes), threads, shared_bytes, true, arguments...);
}

}  // namespace ordo::detail
