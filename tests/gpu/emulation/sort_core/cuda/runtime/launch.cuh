#pragma once
#include <algorithm>
#include <cstddef>

#include "tests/gpu/emulation/emulation.hpp"

namespace ordo::inline v0::cuda_detail {

inline std::size_t shared_memory_limit() {
  return emulation::shared_memory_limit;
}

inline unsigned blocks_for(std::size_t items, std::size_t of_a_block) {
  return unsigned(std::min<std::size_t>(items / of_a_block + 1, 1u << 20));
}

/// Launches run at once, in the calling thread.
struct kernel_launcher {};

/// Launches at most three blocks, so that each has work for more than one round.
template <auto* Kernel, class... Arguments>
void launch(kernel_launcher&, unsigned wanted, unsigned threads, std::size_t shared_bytes, Arguments const&... arguments) {
  emulation::run(std::min(wanted, 3u), threads, shared_bytes, [&] { Kernel(arguments...); });
}
template <auto* Kernel, class... Arguments>
void launch_cooperative(kernel_launcher&, unsigned threads, std::size_t shared_bytes, Arguments... arguments) {
  emulation::run(1, threads, shared_bytes, [&] { Kernel(arguments...); });
}
template <auto* Kernel, class... Arguments>
void launch_some_cooperative(kernel_launcher& on, unsigned, unsigned threads, std::size_t shared_bytes,
                             Arguments const&... arguments) {
  launch_cooperative<Kernel>(on, threads, shared_bytes, arguments...);
}

}  // namespace ordo::inline v0::cuda_detail
