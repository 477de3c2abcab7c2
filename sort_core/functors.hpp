#pragma once
#include "ordo/detail/fn.hpp"

// Operators for the verbs `scan` and `reduce` of a Backend (backend.hpp). Types with names, not lambdas: nvcc's
// __host__ __device__ lambdas are other types in every source, so that what is instantiated with them is never shared.
namespace ordo {

/// The sum.
struct plus {
  template <class T>
  ORDO_FN constexpr T operator()(T a, T b) const {
    return T(a + b);
  }
};

/// The lesser of two, the first if neither is.
struct minimum {
  template <class T>
  ORDO_FN constexpr T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

/// The greater of two, the first if neither is.
struct maximum {
  template <class T>
  ORDO_FN constexpr T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

}  // namespace ordo
