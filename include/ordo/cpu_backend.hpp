#pragma once
#include "ordo/cpu.hpp"
#include "sort_core/host/backend.hpp"

#pragma GCC visibility push(default)

// The counterpart of gpu.cuh for the CPU: computed keys, comparisons defined by the caller, and all operations of backend.hpp,
// for sources that compile algorithms themselves. Needs oneTBB's headers.
namespace ordo::inline v0 {

/// Calls f(host_backend&), which has all operations of backend.hpp, and returns its result.
template <class F>
decltype(auto) with_backend(cpu& on, F f) {
  return f(on.backend());
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
