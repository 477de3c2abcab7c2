#pragma once
#include <cstddef>
#include <limits>

#include "sort_core/host/threads.hpp"

// From how much input on a GPU is quicker than the CPU, in a whole command from file to file. The one place for what was
// measured: by tools/bench/files.py, hot cache, with --threads 2, 4, 8 and 16, on a host with one H200.
namespace ordo {

/// Bytes of input a second: of each thread of the CPU, and of a GPU that has started.
struct measured_rates {
  double cpu_thread, gpu;
};
constexpr measured_rates suffix_array_rates{7e6, 400e6};
constexpr measured_rates string_rates{55e6, 2000e6};

/// Seconds that a GPU takes to start and to end.
constexpr double gpu_start_seconds = 0.35;

/// Bytes of input for which both take as long; without end where the GPU never catches up.
/// @param threads  as in machine_options
inline std::size_t worth_a_gpu(measured_rates const& rates, unsigned threads) {
  double const cpu = rates.cpu_thread * threads_for(threads);
  if (cpu >= rates.gpu) return std::numeric_limits<std::size_t>::max();
  return std::size_t(gpu_start_seconds / (1 / cpu - 1 / rates.gpu));
}

}  // namespace ordo
