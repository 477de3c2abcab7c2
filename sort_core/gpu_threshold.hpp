#pragma once
#include <cstddef>
#include <limits>

#include "base/threads.hpp"

// The amount of input from which a whole command, from file to file, is faster on a GPU than on the CPU. Measured by
// bench/files.py with a hot cache and 16 threads, on a host with one H200 (bench/results/files*_h200.json).
namespace ordo {

/// Throughput in bytes of input per second: of one thread of the CPU, and of a GPU that has started.
struct measured_rates {
  double cpu_thread, gpu;
};
constexpr measured_rates suffix_array_rates{6.7e6, 860e6};  // synthetic genomes of 64 M and 3.1 G residues
constexpr measured_rates string_rates{121e6, 4900e6};       // 687 MB of paths, 3.2 GB of URLs
constexpr measured_rates read_key_rates{60e6, 4900e6};      // 641 MB of lines, by fields and by versions

/// The time that a GPU takes to start and to end, in seconds.
constexpr double gpu_start_seconds = 0.42;

/// Returns the number of bytes of input for which both take equally long; the maximum of size_t if the GPU is never faster.
/// @param threads  as in machine_options
inline std::size_t worth_a_gpu(measured_rates const& rates, unsigned threads) {
  double const cpu = rates.cpu_thread * threads_for(threads);
  if (cpu >= rates.gpu) return std::numeric_limits<std::size_t>::max();
  return std::size_t(gpu_start_seconds / (1 / cpu - 1 / rates.gpu));
}

/// Returns the same for the peaks of spectra. Reading, scanning, moving and writing are done by all threads of the CPU in
/// either case; a GPU only takes over the sort, and takes 0.3 s to start and end. Measured with --threads 1 --stats on a Xeon
/// of 2023 with 350 MB of spectra ordered by intensity: of 3.5 s of CPU time per GB, 1.2 s are the phase "sort". So a GPU pays
/// from 0.25 GB per thread on, and never if there are enough threads to fill the page cache at its full speed (3 to 5 GB/s).
inline std::size_t peaks_worth_a_gpu(unsigned threads) {
  constexpr std::size_t per_thread = 250'000'000;
  constexpr unsigned fill_the_page_cache = 10;
  return threads < fill_the_page_cache ? threads * per_thread : std::numeric_limits<std::size_t>::max();
}

}  // namespace ordo
