#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <span>

#include <tbb/enumerable_thread_specific.h>

#include "ordo/spectra.hpp"
#include "spectra/peaks/peak_sorter.hpp"

namespace ordo::inline v0::spectra::detail {

/// The machine that sorts the peaks of an input, for many threads.
class peak_machines {
 public:
  /// @param options  must outlive this @throws usage_error, out_of_memory  if the requested machine is not available
  peak_machines(sort_options const& options, unsigned threads);
  ~peak_machines();

  /// Sorts as peak_sorter does. Any number of threads at a time; the first call chooses the machine.
  /// @param share  the share of the input that will be sorted, as far as is known
  /// @returns the seconds that it waited for a machine that other threads used, or that started
  double sort(std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets, std::span<std::uint32_t> order,
              double share);
  /// Selects as peak_sorter does, with the same parameters and result.
  double select(host_peaks const& peaks, selection const& rules, std::span<std::uint8_t> keep, double share);
  /// Returns true if a GPU sorts, which needs larger chunks.
  [[nodiscard]] bool on_gpu() const noexcept { return on_gpu_.load(std::memory_order_relaxed); }
  /// Reports the machine and the maximum of GPU memory in use, when no thread is in sort().
  void report(sort_report& output) const;

 private:
  machine_choice choose_for(std::uint64_t bytes) const;
  template <class Work>
  double with_sorter(double share, Work work);
  peak_sorter& gpu_sorter();
  peak_sorter& shared_sorter();

  sort_options const& options_;
  unsigned threads_;
  std::mutex sorting_;  // guards a machine that all threads share, and the following members
  bool decided_ = false;
  machine_choice machine_;
  std::size_t device_memory_ = 0;
  std::future<std::unique_ptr<peak_sorter>> starting_;
  std::unique_ptr<peak_sorter> gpu_, shared_;
  std::atomic<bool> on_gpu_{false};
  tbb::enumerable_thread_specific<std::unique_ptr<peak_sorter>> own_;
};

}  // namespace ordo::inline v0::spectra::detail
