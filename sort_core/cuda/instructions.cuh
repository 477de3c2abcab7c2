#pragma once
#include <cstddef>
#include <cstdint>

// What C++ has no words for: the instructions of a GPU that the core uses as assembly, and its shared memory. Kernels hold no
// assembly of their own, so that tests/gpu/emulation can run them on any machine.
namespace ordo::cuda_detail {

constexpr unsigned warp_threads = 32;
constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline unsigned lane_of() {
  return threadIdx.x % warp_threads;
}

/// Where a function uses it, and not a pointer that it was given, the compiler knows what memory it is.
__device__ inline unsigned char* dynamic_shared_memory() {
  extern __shared__ __align__(16) unsigned char dynamic_memory[];
  return dynamic_memory;
}

[[nodiscard]] __device__ inline unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

/// Until the kernel before this one has ended, and what it wrote can be read (launch.cuh).
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Begin to copy an object of 4, 8 or 16 bytes from device memory to shared memory.
template <class T>
__device__ void copy_async(T* shared, T const* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(unsigned(__cvta_generic_to_shared(shared))), "l"(from),
               "n"(sizeof(T))
               : "memory");
}
/// The same of 16 bytes that are read once.
template <class T>
__device__ void copy_async_16(T* shared, T const* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(unsigned(__cvta_generic_to_shared(shared))), "l"(from)
               : "memory");
}
/// Until all that this thread began is there.
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

/// Can one instruction ask for a whole piece of device memory?
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
constexpr bool has_bulk_prefetch = true;
#else
constexpr bool has_bulk_prefetch = false;
#endif
/// Ask for `bytes` from `from` on. Called by one thread.
__device__ inline void bulk_prefetch(void const* from, std::size_t bytes) {
  if constexpr (has_bulk_prefetch) {
    constexpr std::uintptr_t unit = 16;  // in which it counts
    auto const begin = (reinterpret_cast<std::uintptr_t>(from) + unit - 1) / unit * unit;
    auto const end = (reinterpret_cast<std::uintptr_t>(from) + bytes) / unit * unit;
    if (begin < end) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin), "r"(unsigned(end - begin)));
  }
}

/// Those of the lanes `alike` that have this lane's `digit`, of Bits bits; all lanes must call. A vote a bit: quicker than
/// __match_any_sync unless there are few digits, and as assembly much quicker than what the compiler makes of the same.
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

/// Ask for the bytes round `address`.
__device__ inline void prefetch(void const* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/// The same number, opaque to the compiler: what was computed from it is computed once more, and need not be kept.
/// Registers, and predicates above all, are dear.
[[nodiscard]] __device__ inline unsigned opaque(unsigned x) {
  asm volatile("" : "+r"(x));
  return x;
}

/// The same pointer to shared memory; what it was computed from is not computed again at every use.
template <class T>
__device__ T* opaque_shared(T* shared) {
  auto address = unsigned(__cvta_generic_to_shared(shared));
  asm("" : "+r"(address));
  return static_cast<T*>(__cvta_shared_to_generic(address));
}

}  // namespace ordo::cuda_detail
