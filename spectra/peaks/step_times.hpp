#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ordo/spectra.hpp"

namespace ordo::spectra::detail {

/// How long the steps of work on a part of an input took, how long it lay ready for each, and the bytes that they worked on.
/// For one thread at a time.
template <std::size_t Steps>
class step_times {
  using clock = std::chrono::steady_clock;

 public:
  std::array<double, Steps> seconds{}, waited{};
  std::array<std::uint64_t, Steps> bytes{};

  /// f(), as that step, with bytes it works on. It has waited since the end of the step before.
  template <class F>
  decltype(auto) timed(std::size_t which, std::uint64_t size, F f) {
    struct timer {
      step_times& work;
      std::size_t which;
      clock::time_point begin = clock::now();
      ~timer() {
        work.ready_ = clock::now();
        work.seconds[which] += std::chrono::duration<double>(work.ready_ - begin).count();
      }
    } const running{*this, which};
    waited[which] += std::chrono::duration<double>(running.begin - ready_).count();
    bytes[which] += size;
    return f();
  }

  /// Adds it to what other parts took, one phase for each step, and tells of it.
  void add_to(std::span<phase_time> phases, options const& how) const {
    for (std::size_t s = 0; s < Steps; ++s) {
      phases[s].seconds += seconds[s];
      phases[s].waited += waited[s];
      phases[s].bytes += bytes[s];
      if (how.on_phase && bytes[s] != 0) how.on_phase(phases[s].name, bytes[s]);
    }
  }

 protected:
  /// A new part, which is ready for its first step.
  void start_times() {
    seconds = waited = {};
    bytes = {};
    ready_ = clock::now();
  }
  /// So much of the time of a step was spent waiting for others.
  void kept_waiting(std::size_t which, double time) {
    seconds[which] -= time;
    waited[which] += time;
  }

 private:
  clock::time_point ready_;  // for the next step
};

}  // namespace ordo::spectra::detail
