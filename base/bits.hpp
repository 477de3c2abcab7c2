#pragma once
#include <bit>
#include <cstdint>

#include "ordo/detail/fn.hpp"

// Bit operations for both kinds of machine. std::countl_zero and its like do not work: nvcc 13 silently compiles those of
// libstdc++ 12 to the constant that they return for zero.
namespace ordo::inline v0 {

/// Returns the number of zeros above the highest one of x; 64 for 0.
ORDO_FN inline unsigned leading_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return unsigned(__clzll(static_cast<long long>(x)));
#else
  return unsigned(std::countl_zero(x));
#endif
}

/// Returns the number of zeros below the lowest one of x; 64 for 0.
ORDO_FN inline unsigned trailing_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return x == 0 ? 64u : unsigned(__ffsll(static_cast<long long>(x))) - 1u;
#else
  return unsigned(std::countr_zero(x));
#endif
}

/// Returns the number of ones in x.
ORDO_FN inline unsigned count_ones(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return unsigned(__popcll(x));
#elif defined(__POPCNT__) || !defined(__x86_64__)
  return unsigned(__builtin_popcountll(x));
#else  // GCC would call a function that looks up bytes in a table
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return unsigned(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
#endif
}

/// Returns the number of ones in x. Faster than count_ones if there are at most two.
ORDO_FN inline unsigned count_few_ones(std::uint64_t x) {
#if !defined(__CUDA_ARCH__)
  std::uint64_t const second = x & (x - 1);
  if ((second & (second - 1)) == 0) return unsigned(x != 0) + unsigned(second != 0);
#endif
  return count_ones(x);
}

/// Returns x with the order of its bits reversed.
ORDO_FN inline std::uint64_t reversed_bits(std::uint64_t x) {
  x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
  x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
  x = (x >> 8 & 0x00ff00ff00ff00ff) | (x & 0x00ff00ff00ff00ff) << 8;
  x = (x >> 16 & 0x0000ffff0000ffff) | (x & 0x0000ffff0000ffff) << 16;
  return x >> 32 | x << 32;
}

}  // namespace ordo::inline v0
