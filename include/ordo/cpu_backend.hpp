#pragma once
#include "ordo/cpu.hpp"
#include "sort_core/host/backend.hpp"

// The CPU machine for sources that compile algorithms for it: computed keys, orders of the caller's own, and the small verbs.
// Needs oneTBB's headers. What gpu.cuh is to the GPU.
namespace ordo {

/// f(host&), which has all verbs of backend.hpp.
template <class F>
decltype(auto) with_backend(cpu& on, F f) {
  return f(on.backend());
}

}  // namespace ordo
