#pragma once
#include <cstddef>
#include <limits>

#include "base/threads.hpp"

// From how much input on a GPU is quicker than the CPU, in a whole command from file to file. The one place for what was
// measured: by bench/files.py, hot cache, 16 threads, on a host with one H200 (bench/results/files*_h200.json).
namespace ordo {

/// Bytes of input a second: of each thread of the CPU, and of a GPU that has started.
struct measured_rates {
  double cpu_thread, gpu;
};
constexpr measured_rates suffix_array_rates{6.7e6, 860e6};  // made-up genomes of 64 M and 3.1 G
constexpr measured_rates string_rates{121e6, 4900e6};       // 687 MB of paths, 3.2 GB of URLs
constexpr measured_rates read_key_rates{60e6, 4900e6};      // 641 MB of rows by fields and by versions

/// Seconds that a GPU takes to start and to end.
constexpr double gpu_start_seconds = 0.42;

/// Bytes of input for which both take as long; without end where the GPU never catches up.
/// @param threads  as in machine_options
inline std::size_t worth_a_gpu(measured_rates const& rates, unsigned threads) {
  double const cpu = rates.cpu_thread * threads_for(threads);
  if (cpu >= rates.gpu) return std::numeric_limits<std::size_t>::max();
  return std::size_t(gpu_start_seconds / (1 / cpu - 1 / rates.gpu));
}

/// The same for the peaks of spectra. Reading, scanning, moving and writing are the CPU's work on either machine, on all of its
/// threads; a GPU takes the sorting off them, and takes 0.3 s to start and end. Measured with --threads 1 --stats on a Xeon of
/// 2023 and 350 MB of spectra by intensity: of the 3.5 s of CPU time that 1 GB takes, 1.2 are "sort". So a GPU pays from 0.25
/// GB for each thread on; and where threads are as many as fill the page cache as fast as it can be filled (3 to 5 GB/s), it
/// never does.
inline std::size_t peaks_worth_a_gpu(unsigned threads) {
  constexpr std::size_t per_thread = 250'000'000;
  constexpr unsigned fill_the_page_cache = 10;
  return threads < fill_the_page_cache ? threads * per_thread : std::numeric_limits<std::size_t>::max();
}

}  // namespace ordo
