#include "spectra/peaks/peak_machines.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "ordo/detail/config.hpp"

namespace ordo::inline v0::spectra::detail {
namespace {

// GPU memory for some ten thousand spectra. Chunks with more peaks than fit are sorted in parts.
constexpr std::size_t min_gpu_memory = std::size_t{64} << 20;

// Returns the bytes of input from which a GPU is faster than the CPU. Reading, scanning, moving and writing are done by all
// threads of the CPU in either case; a GPU only takes over the sort, and takes 0.3 s to start and end. Measured with --threads
// 1 --stats on a Xeon of 2023 with 350 MB of spectra ordered by intensity: of 3.5 s of CPU time per GB, 1.2 s are the phase
// "sort". So a GPU pays from 0.25 GB per thread on, and never if there are enough threads to fill the page cache at its full
// speed (3 to 5 GB/s).
std::size_t min_gpu_bytes(unsigned threads) {
  constexpr std::size_t per_thread = 250'000'000;
  constexpr unsigned fill_the_page_cache = 10;
  return threads < fill_the_page_cache ? threads * per_thread : std::numeric_limits<std::size_t>::max();
}

}  // namespace

peak_machines::peak_machines(sort_options const& options, unsigned threads)
    : options_(options), threads_(threads), machine_{device::cpu, "every spectrum is in order", false, false, 0} {
  // Fails now if a requested GPU is missing. A GPU that will sort, unless all is in order, starts now.
  machine_choice const likely = choose_for(options.input_bytes);
  if constexpr (cuda_enabled) {
    if (likely.device != device::gpu) return;
    on_gpu_ = likely.required;
    starting_ = std::async([&options, gpu = likely.gpu_index] { return peak_sorter_on_cuda(options.machine, gpu); });
  }
}

peak_machines::~peak_machines() = default;

machine_choice peak_machines::choose_for(std::uint64_t bytes) const {
  return choose_machine(options_.machine, std::size_t(bytes), min_gpu_bytes(threads_),
                        [](gpu_info const&) { return min_gpu_memory; });
}

// Returns the sorter that was started, if there is one.
peak_sorter& peak_machines::gpu_sorter() {
  if constexpr (cuda_enabled) {
    if (!gpu_) gpu_ = starting_.valid() ? starting_.get() : peak_sorter_on_cuda(options_.machine, machine_.gpu_index);
  }
  return *gpu_;
}

peak_sorter& peak_machines::shared_sorter() {
  if (!shared_) shared_ = peak_sorter_on_host(options_.machine);
  return *shared_;
}

// Calls work(sorter) on the chosen machine.
template <class Work>
double peak_machines::with_sorter(double share, Work work) {
  auto const begin = std::chrono::steady_clock::now();
  double waited = 0;
  auto const ready = [&] { waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  {
    std::lock_guard const lock(sorting_);
    if (!decided_) machine_ = choose_for(std::uint64_t(share * double(options_.input_bytes)));
    decided_ = true;
    on_gpu_ = machine_.device == device::gpu;
    if (on_gpu_ || options_.machine.on) {
      run_with_fallback(
          machine_,
          [&] {
            peak_sorter& sorter = gpu_sorter();
            ready();
            work(sorter);
            device_memory_ = std::max(device_memory_, sorter.peak_memory());
          },
          [&] {
            peak_sorter& sorter = shared_sorter();
            ready();
            work(sorter);
          });
      return waited;
    }
  }
  std::unique_ptr<peak_sorter>& own = own_.local();
  if (!own) own = peak_sorter_on_host({.device = device::cpu, .threads = 1});
  work(*own);
  return 0;
}

double peak_machines::sort(std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets,
                           std::span<std::uint32_t> order, double share) {
  return with_sorter(share, [&](peak_sorter& sorter) { sorter.sort(codes, offsets, order); });
}

double peak_machines::select(host_peaks const& peaks, selection const& rules, std::span<std::uint8_t> keep, double share) {
  return with_sorter(share, [&](peak_sorter& sorter) { sorter.select(peaks, rules, keep); });
}

void peak_machines::report(sort_report& output) const {
  output.machine = machine_;
  output.device_memory = device_memory_;
}

}  // namespace ordo::inline v0::spectra::detail
