#pragma once
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include <tbb/task_arena.h>

#include "ordo/io.hpp"
#include "ordo/spectra/summary.hpp"
#include "spectra/mgf/diagnostics.hpp"
#include "spectra/mgf/slice_work.hpp"
#include "spectra/peaks/peak_machines.hpp"
#include "spectra/peaks/work_pool.hpp"

namespace ordo::spectra::detail {

/// How large slices are, of which so many are at work at a time: on a GPU large, and yet no more than 288 MiB in all, unless
/// blocks are larger.
std::size_t slice_size(std::size_t block, std::size_t slices, bool on_gpu);

/// What an input is read for.
enum class purpose { sort, check, summary, order };

/// Takes slices that are worked on, one after the other, in the input's order.
class slice_taker {
 public:
  virtual ~slice_taker() = default;
  virtual void take(slice_work& one) = 0;
};

/// Works on an input slice by slice. A thread that has read a slice scans, sorts and moves it while it is in the thread's
/// cache, and writes it where the sink has addresses; what has an order - warnings, errors, writing without addresses - comes
/// slice after slice. So all of that overlaps, in the memory of a few slices for each thread.
class pipeline {
 public:
  /// @throws usage_error, out_of_memory  if the machine asked for cannot be had
  /// @param keys, taker  for purpose::order; they must outlive it
  pipeline(options how, purpose what, order_keys const* keys = nullptr, slice_taker* taker = nullptr);

  /// The rest of a source, sorted, checked or summarized. An input may come as several sources: all but the last end where
  /// whole_spectra says. @param to  nullptr to write nothing. @throws input_error, and what source and sink throw: what is
  /// first in the input
  void run(source& from, sink* to, bool last);

  [[nodiscard]] report done() const;
  [[nodiscard]] std::optional<disorder> const& first_disorder() const { return found_.first_disorder; }
  [[nodiscard]] summary const& summarized() const { return summary_; }

 private:
  void finish(slice_work& one, sink* to, bool last);

  options how_;
  slice_task task_;
  slice_taker* taker_;
  summary summary_;
  tbb::task_arena arena_;
  findings found_;
  std::optional<peak_machines> machines_;  // only to sort
  std::atomic<bool> stopped_{false};       // behind a disorder
  std::vector<phase_time> phases_;

  work_pool<slice_work> works_;
};

}  // namespace ordo::spectra::detail
