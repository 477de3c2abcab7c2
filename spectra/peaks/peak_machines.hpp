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

namespace ordo::spectra::detail {

/// Which machine sorts the peaks of an input, and their sort on it for many threads.
class peak_machines {
 public:
  /// @param how  must outlive it. @throws usage_error, out_of_memory  if the machine asked for cannot be had
  peak_machines(options const& how, unsigned threads);
  ~peak_machines();

  /// As peak_sorter; any number of threads at a time. The first call decides for a machine.
  /// @param share  of the input that is like this, as far as can be seen
  /// @returns seconds that it waited for a machine which other threads use, or which starts
  double sort(std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets, std::span<std::uint32_t> order,
              double share);
  /// The same for a selection.
  double select(host_peaks const& peaks, selection const& how, std::span<std::uint8_t> keep, double share);
  /// A GPU gets more at a time.
  [[nodiscard]] bool on_gpu() const noexcept { return on_gpu_.load(std::memory_order_relaxed); }
  /// What was decided, and the most GPU memory in use, when no thread is in sort().
  void tell(report& to) const;

 private:
  machine_choice choose_for(std::uint64_t bytes) const;
  template <class Work>
  double with_machine(double share, Work work);
  peak_sorter& gpu_sorter();
  peak_sorter& shared_sorter();

  options const& how_;
  unsigned threads_;
  std::mutex sorting_;  // on a machine that all threads share; and of what follows
  bool decided_ = false;
  machine_choice machine_;
  std::size_t device_memory_ = 0;
  std::future<std::unique_ptr<peak_sorter>> starting_;
  std::unique_ptr<peak_sorter> gpu_, shared_;
  std::atomic<bool> on_gpu_{false};
  tbb::enumerable_thread_specific<std::unique_ptr<peak_sorter>> own_;
};

}  // namespace ordo::spectra::detail
