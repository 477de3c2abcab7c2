#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ordo/spectra/order.hpp"
#include "spectra/pipeline/pipeline.hpp"

namespace ordo::inline v0::spectra::detail {

/// Reads the inputs of an order one after the other, and adds up their reports.
class input_reader {
 public:
  input_reader(sort_options const& options, order_options const& order);
  input_reader(input_reader const&) = delete;
  input_reader& operator=(input_reader const&) = delete;

  /// Runs a pipeline over an input. @param task  whose purpose and input format are set here
  /// @returns its report, not yet added
  sort_report read(spectrum_inputs::opened const& opened, pipeline_task task);
  void add(sort_report const& report);
  /// Counts a warning, and reports it if it is among the first.
  void warn(std::string const& message);

  template <class F>
  decltype(auto) timed(phase_time& phase, std::uint64_t bytes, F f) {
    using clock = std::chrono::steady_clock;
    struct timer {
      phase_time& phase;
      clock::time_point begin = clock::now();
      ~timer() { phase.seconds += std::chrono::duration<double>(clock::now() - begin).count(); }
    } const running{phase};
    phase.bytes += bytes;
    return f();
  }

  [[nodiscard]] std::size_t memory() const noexcept { return memory_; }
  [[nodiscard]] sort_options const& options() const noexcept { return options_; }
  /// Puts phases of the order after those of chunks, which write nothing.
  /// @returns the report of all
  order_report& end(phase_time const& order, phase_time const& spill, phase_time const& write);

  order_report done;

 private:
  sort_options options_;
  std::size_t memory_;
  std::uint64_t warned_ = 0, inputs_ = 0;
};

}  // namespace ordo::inline v0::spectra::detail
