#include "spectra/peak_machines.hpp"

#include <algorithm>
#include <limits>

#include "sort_core/config.hpp"

namespace ordo::spectra::detail {
namespace {

// Reading, scanning, moving and writing are the CPU's work on either machine, on all of its threads; a GPU takes the sorting
// off them, and takes 0.3 s to start and end. Measured with --threads 1 --stats on a Xeon of 2023 and 350 MB of spectra by
// intensity: of the 3.5 s of CPU time that 1 GB takes, 1.2 are "sort". So a GPU pays from 0.25 GB for each thread on; and where
// threads are as many as fill the page cache as fast as it can be filled (3 to 5 GB/s), it never does.
constexpr std::uint64_t worth_a_gpu_per_thread = 250'000'000;
constexpr unsigned threads_that_fill_the_page_cache = 10;

std::size_t worth_a_gpu(unsigned threads) {
  return threads < threads_that_fill_the_page_cache ? std::size_t(threads * worth_a_gpu_per_thread)
                                                    : std::numeric_limits<std::size_t>::max();
}

// GPU memory for some ten thousand spectra. Slices with more peaks than fit are taken in parts.
constexpr std::size_t least_gpu_memory = std::size_t{64} << 20;

}  // namespace

peak_machines::peak_machines(options const& how, unsigned threads)
    : how_(how), threads_(threads), machine_{device::cpu, "every spectrum is in order", false, false, 0} {
  // If somebody asked for a GPU that is missing, say so now. One that will sort, unless all is in order, starts now.
  decision const likely = choose_for(how.input_bytes);
  if constexpr (cuda_enabled) {
    if (likely.where != device::gpu) return;
    on_gpu_ = likely.asked;
    starting_ =
        std::async(std::launch::async, [&how, gpu = likely.gpu_index] { return peak_sorter_on_cuda(how.machine, gpu); });
  }
}

peak_machines::~peak_machines() = default;

decision peak_machines::choose_for(std::uint64_t bytes) const {
  return choose(how_.machine, std::size_t(bytes), worth_a_gpu(threads_), [](gpu_info const&) { return least_gpu_memory; });
}

// The one that was started, if any was.
peak_sorter& peak_machines::gpu_sorter() {
  if constexpr (cuda_enabled) {
    if (!gpu_) gpu_ = starting_.valid() ? starting_.get() : peak_sorter_on_cuda(how_.machine, machine_.gpu_index);
  }
  return *gpu_;
}

peak_sorter& peak_machines::shared_sorter() {
  if (!shared_) shared_ = peak_sorter_on_host(how_.machine);
  return *shared_;
}

void peak_machines::sort(std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets,
                         std::span<std::uint32_t> order, double share) {
  {
    std::lock_guard const lock(sorting_);
    if (!decided_) machine_ = choose_for(std::uint64_t(share * double(how_.input_bytes)));
    decided_ = true;
    on_gpu_ = machine_.where == device::gpu;
    if (on_gpu_ || how_.machine.on) {
      run_on(
          machine_,
          [&] {
            gpu_sorter().sort(codes, offsets, order);
            device_memory_ = std::max(device_memory_, gpu_->peak_memory());
          },
          [&] { shared_sorter().sort(codes, offsets, order); });
      return;
    }
  }
  std::unique_ptr<peak_sorter>& own = own_.local();
  if (!own) own = peak_sorter_on_host({.where = device::cpu, .threads = 1});
  own->sort(codes, offsets, order);
}

void peak_machines::tell(report& to) const {
  to.machine = machine_;
  to.device_memory = device_memory_;
}

}  // namespace ordo::spectra::detail
