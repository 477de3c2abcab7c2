#pragma once
#include <cstddef>
#include <cstdint>

// Instructions that C++ cannot express: assembly of the GPU, and its shared memory. Kernels contain no assembly of their own,
// so that tests/gpu/emulation can run them on any machine.
namespace ordo::inline v0::cuda_detail {

constexpr unsigned warp_threads = 32;
constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline unsigned lane_id() {
  return threadIdx.x % warp_threads;
}

/// Returns the block's dynamic shared memory. The compiler then knows the kind of memory, which it does not of a pointer
/// argument.
__device__ inline unsigned char* dynamic_shared_memory() {
  extern __shared__ __align__(16) unsigned char dynamic_memory[];
  return dynamic_memory;
}

[[nodiscard]] __device__ inline unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

/// Waits until the previous kernel has ended and its writes are visible (launch.cuh).
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Starts copying an object of 4, 8 or 16 bytes from device memory to shared memory.
template <class T>
__device__ void copy_async(T* shared, T const* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(unsigned(__cvta_generic_to_shared(shared))), "l"(from),
               "n"(sizeof(T))
               : "memory");
}
/// Starts copying an object of 16 bytes that is read only once.
template <class T>
__device__ void copy_async_16(T* shared, T const* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(unsigned(__cvta_generic_to_shared(shared))), "l"(from)
               : "memory");
}
/// Waits for all copies that this thread has started.
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/// True if one instruction can prefetch a contiguous range of device memory.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
constexpr bool has_bulk_prefetch = true;
#else
constexpr bool has_bulk_prefetch = false;
#endif
/// Prefetches `bytes` bytes from `from`. Called by one thread.
__device__ inline void bulk_prefetch(void const* from, std::size_t bytes) {
  if constexpr (has_bulk_prefetch) {
    constexpr std::uintptr_t unit = 16;  // the granularity of the instruction
    auto const begin = (reinterpret_cast<std::uintptr_t>(from) + unit - 1) / unit * unit;
    auto const end = (reinterpret_cast<std::uintptr_t>(from) + bytes) / unit * unit;
    if (begin < end) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin), "r"(unsigned(end - begin)));
  }
}

/// Returns the lanes of `alike` that have this lane's `digit`, of Bits bits. All lanes must call it. One vote per bit is faster
/// than __match_any_sync unless there are few digits, and assembly is much faster than the compiler's code for the same.
template <unsigned Bits>
[[nodiscard]] __device__ unsigned lanes_alike(unsigned digit, unsigned alike) {
#pragma unroll
  for (unsigned bit = 0; bit < Bits; ++bit)
    asm("{\n"
        ".reg .pred one;\n"
        ".reg .b32 lanes;\n"
        "and.b32 lanes, %1, %2;\n"
        "setp.ne.u32 one, lanes, 0;\n"
        "vote.sync.ballot.b32 lanes, one, 0xffffffff;\n"
        "@!one not.b32 lanes, lanes;\n"
        "and.b32 %0, %0, lanes;\n"
        "}"
        : "+r"(alike)
        : "r"(digit), "r"(1u << bit));
  return alike;
}

/// Prefetches the bytes at `address`.
__device__ inline void prefetch(void const* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/// Returns x as a value opaque to the compiler, so that expressions computed from it are recomputed instead of kept. This saves
/// registers, and above all predicates.
[[nodiscard]] __device__ inline unsigned opaque(unsigned x) {
  asm volatile("" : "+r"(x));
  return x;
}

/// Returns the same pointer to shared memory, so that the compiler does not recompute it at each use.
template <class T>
__device__ T* opaque_shared(T* shared) {
  auto address = unsigned(__cvta_generic_to_shared(shared));
  asm("" : "+r"(address));
  return static_cast<T*>(__cvta_shared_to_generic(address));
}

}  // namespace ordo::inline v0::cuda_detail
