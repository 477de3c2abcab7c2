#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ordo/detail/fn.hpp"

#pragma GCC visibility push(default)

// Loads and stores at any address, and of memory that other threads write. Work on the CPU and on GPUs.
namespace ordo::inline v0 {

/// Loads `count` bytes, 1 to 8, as the high bytes of a number: the first byte is the highest, and the low bytes are zero. On a
/// GPU it reads aligned words, but only those that hold a byte of the range.
ORDO_FN inline std::uint64_t load_big_endian(unsigned char const* p, std::size_t count) {
#if defined(__CUDA_ARCH__)
  auto const address = reinterpret_cast<std::uintptr_t>(p);
  auto const* const words = reinterpret_cast<std::uint64_t const*>(address & ~std::uintptr_t{7});
  unsigned const skip = unsigned(address & 7);
  std::uint64_t word = words[0];
  if (skip != 0) {
    word >>= 8 * skip;
    if (skip + count > 8) word |= words[1] << (64 - 8 * skip);
  }
  word = std::uint64_t(__byte_perm(unsigned(word), 0, 0x0123)) << 32 | __byte_perm(unsigned(word >> 32), 0, 0x0123);
  return count >= 8 ? word : word & ~(~std::uint64_t{0} >> (8 * count));
#else
  std::uint64_t word = 0;
  if (count >= 8)
    std::memcpy(&word, p, 8);  // a constant length compiles to one instruction
  else
    std::memcpy(&word, p, count);
  return __builtin_bswap64(word);
#endif
}

/// Stores the `count` high bytes of a number, 0 to 8, so that load_big_endian reads them back.
ORDO_FN inline void store_big_endian(unsigned char* p, std::uint64_t word, std::size_t count) {
#if defined(__CUDA_ARCH__)
  for (; count != 0; --count, word <<= 8) *p++ = static_cast<unsigned char>(word >> 56);
#else
  word = __builtin_bswap64(word);
  if (count == 8) {
    std::memcpy(p, &word, 8);
    return;
  }
  if (count & 4) {
    std::memcpy(p, &word, 4);
    p += 4;
    word >>= 32;
  }
  if (count & 2) {
    std::memcpy(p, &word, 2);
    p += 2;
    word >>= 16;
  }
  if (count & 1) *p = static_cast<unsigned char>(word);
#endif
}

/// Prefetches *p on the CPU. Does nothing on a GPU, whose threads hide latency. p need not be valid.
ORDO_FN inline void prefetch([[maybe_unused]] void const* p) {
#if !defined(__CUDA_ARCH__)
  __builtin_prefetch(p);
  asm volatile("" : : "r"(p));  // g++ takes a function that only prefetches for one without effect, and leaves out its calls
#endif
}

/// Loads *p while another thread may write it by store_relaxed. Returns the old or the new value, without ordering other
/// accesses.
template <class T>
ORDO_FN T load_relaxed(T const* p) {
#if defined(__CUDA_ARCH__)
  return *p;
#else
  return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

template <class T>
ORDO_FN void store_relaxed(T* p, T value) {
#if defined(__CUDA_ARCH__)
  *p = value;
#else
  __atomic_store_n(p, value, __ATOMIC_RELAXED);
#endif
}

/// Adds x to *p atomically, without ordering other accesses.
ORDO_FN inline void add_relaxed(std::uint32_t* p, std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  atomicAdd(p, x);
#else
  __atomic_fetch_add(p, x, __ATOMIC_RELAXED);
#endif
}

/// Sets bits of *p atomically, without ordering other accesses.
ORDO_FN inline void or_relaxed(std::uint64_t* p, std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  atomicOr(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(bits));
#else
  __atomic_fetch_or(p, bits, __ATOMIC_RELAXED);
#endif
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
