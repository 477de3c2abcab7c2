#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ordo/detail/fn.hpp"

// Reading bytes at any address, and what others may be writing, on either machine.
namespace ordo {

/// The `count` bytes at p, 1 to 8, as the uppermost bytes of a number, the first byte the highest; zeros below. On the GPU
/// whole aligned words are read, but none that holds no byte of the range.
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
    std::memcpy(&word, p, 8);  // the length is known: one instruction
  else
    std::memcpy(&word, p, count);
  return __builtin_bswap64(word);
#endif
}

/// The uppermost `count` bytes of a number, 0 to 8, to p: what load_big_endian reads from there.
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

/// A word that p will soon be read; nothing on the GPU, whose threads hide the wait. p need not be valid.
ORDO_FN inline void prefetch([[maybe_unused]] void const* p) {
#if !defined(__CUDA_ARCH__)
  __builtin_prefetch(p);
#endif
}

/// *p, which another thread may be writing with store_relaxed: what was there or what will be, in no order with anything else.
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

/// *p += x, while other threads add to it, too.
ORDO_FN inline void add_relaxed(std::uint32_t* p, std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  atomicAdd(p, x);
#else
  __atomic_fetch_add(p, x, __ATOMIC_RELAXED);
#endif
}

/// *p |= bits, while other threads do the same with theirs.
ORDO_FN inline void or_relaxed(std::uint64_t* p, std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  atomicOr(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(bits));
#else
  __atomic_fetch_or(p, bits, __ATOMIC_RELAXED);
#endif
}

}  // namespace ordo
