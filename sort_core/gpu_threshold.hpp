#pragma once
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/threads.hpp"

// The amount of input from which a whole command, from file to file, is faster on a GPU than on the CPU. Each library has its
// own throughput, measured by bench/crossing.py with a hot cache, on a host with H200s (bench/results/crossing_h200.json).
namespace ordo::inline v0 {

/// Throughput in bytes of input per second: of 2 and of 16 threads of the CPU, and of a GPU that has started.
struct throughput {
  double two_threads, sixteen_threads, gpu;
};

/// The time that a GPU takes to start and to end, in seconds: a command on a GPU, less its input at the GPU's throughput.
constexpr double gpu_start_seconds = 0.38;

/// Returns the number of bytes of input for which both take equally long; the maximum of size_t if the GPU is never faster.
/// @param threads  see machine_options
inline std::size_t gpu_crossover_bytes(throughput const& rates, unsigned threads) {
  // Threads share the memory, so that the throughput grows by a power of their number below 1.
  double const growth = std::log(rates.sixteen_threads / rates.two_threads) / std::log(8.0);
  double const cpu = rates.two_threads * std::pow(threads_for(threads) / 2.0, growth);
  if (cpu >= rates.gpu) return std::numeric_limits<std::size_t>::max();
  return std::size_t(gpu_start_seconds / (1 / cpu - 1 / rates.gpu));
}

}  // namespace ordo::inline v0
