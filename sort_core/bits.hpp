#pragma once
#include <bit>
#include <cstdint>

#include "sort_core/fn.hpp"

// Counting bits, on either machine. Not std::countl_zero and its like: nvcc 13 compiles those of libstdc++ 12, without a
// word, to the constant that they have for zero.
namespace ordo {

/// Zeros above the highest one of x; 64 for 0.
ORDO_FN inline unsigned leading_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return unsigned(__clzll(static_cast<long long>(x)));
#else
  return unsigned(std::countl_zero(x));
#endif
}

/// Zeros below the lowest one of x; 64 for 0.
ORDO_FN inline unsigned trailing_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return x == 0 ? 64u : unsigned(__ffsll(static_cast<long long>(x))) - 1u;
#else
  return unsigned(std::countr_zero(x));
#endif
}

}  // namespace ordo
