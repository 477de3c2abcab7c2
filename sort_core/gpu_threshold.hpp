#pragma once
#include <cstddef>
#include <limits>

#include "base/threads.hpp"

// The amount of input from which a whole command, from file to file, is faster on a GPU than on the CPU. Each library has its
// own throughput, measured by bench/files.py with a hot cache and 16 threads, on a host with one H200
// (bench/results/files*_h200.json).
namespace ordo::inline v0 {

/// Throughput in bytes of input per second: of one thread of the CPU, and of a GPU that has started.
struct throughput {
  double cpu_thread, gpu;
};

/// The time that a GPU takes to start and to end, in seconds: bench/results/crossing_h200.json, two lines on GPU and CPU.
constexpr double gpu_start_seconds = 0.36;

/// Returns the number of bytes of input for which both take equally long; the maximum of size_t if the GPU is never faster.
/// @param threads  see machine_options
inline std::size_t gpu_crossover_bytes(throughput const& rates, unsigned threads) {
  double const cpu = rates.cpu_thread * threads_for(threads);
  if (cpu >= rates.gpu) return std::numeric_limits<std::size_t>::max();
  return std::size_t(gpu_start_seconds / (1 / cpu - 1 / rates.gpu));
}

}  // namespace ordo::inline v0
