#pragma once
#include "ordo/detail/fn.hpp"

// Operators for `scan` and `reduce` of a Backend (backend.hpp). These are named types because each __host__ __device__ lambda
// of nvcc has a type of its own per source file, so that its instantiations are never shared.
namespace ordo::inline v0 {

/// Returns the sum.
struct plus {
  template <class T>
  ORDO_FN constexpr T operator()(T a, T b) const {
    return T(a + b);
  }
};

/// Returns the smaller of two, and the first if they are equal.
struct minimum {
  template <class T>
  ORDO_FN constexpr T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

/// Returns the greater of two, and the first if they are equal.
struct maximum {
  template <class T>
  ORDO_FN constexpr T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

}  // namespace ordo::inline v0
