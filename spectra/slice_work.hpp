#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "sort_core/io.hpp"
#include "spectra/peak_machines.hpp"
#include "spectra/scan.hpp"
#include "spectra/slices.hpp"

namespace ordo::spectra::detail {

enum step : std::size_t { reading, scanning, sorting, moving, writing, steps };
inline constexpr std::array<std::string_view, steps> step_names{"read", "scan", "sort", "move", "write"};

/// A slice and what one thread at a time does to it, and the time that takes.
class slice_work {
  using clock = std::chrono::steady_clock;

 public:
  slice part;
  scan_result found;
  std::vector<std::string> warned;  // the lines of found.first_warnings, before any was moved
  std::string_view kind;            // what the slice looked like, if not MGF; only if no spectrum begun before it
  std::exception_ptr failure;       // of what came behind the scan, or of reading, without which nothing was scanned
  bool scanned = false;
  std::array<double, steps> seconds{}, waited{};
  std::array<std::uint64_t, steps> bytes{};

  /// Before anything else. @returns false if there is no more
  bool next(slices& from, std::size_t wanted);
  /// Reads and scans; unless machines is nullptr sorts; and writes to a sink with addresses, where the output begins at
  /// `base`. Nothing is thrown.
  void run(slices const& from, scan_options how, peak_machines* machines, sink* to) noexcept;
  /// f(), as that step, with what it works on. It has waited since the end of the step before.
  template <class F>
  decltype(auto) timed(step which, std::uint64_t size, F f) {
    struct timer {
      slice_work& work;
      step which;
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

 private:
  void sort(peak_machines& machines);
  void move_lines();

  clock::time_point ready_;  // for the next step

  // Kept for their memory.
  std::vector<std::uint64_t> codes_;
  std::vector<std::uint32_t> offsets_, order_;
  std::vector<char> scratch_;
};

}  // namespace ordo::spectra::detail
