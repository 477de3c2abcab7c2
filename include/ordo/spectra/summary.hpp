#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>

#include "ordo/spectra.hpp"
#include "ordo/spectra/spectrum.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::spectra {

/// The minimum and maximum of some numbers, and their count.
struct value_range {
  std::uint64_t count = 0;
  double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();

  /// Adds a number; a NaN is ignored.
  void add(double value) noexcept {
    if (std::isnan(value)) return;
    ++count;
    min = std::min(min, value);
    max = std::max(max, value);
  }
  void add(value_range const& other) noexcept {
    count += other.count;
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
};

/// A summary of an input.
struct summary {
  std::uint64_t bytes = 0, lines = 0, spectra = 0, peaks = 0, warnings = 0;
  std::uint64_t in_order = 0;                          // spectra whose peaks are in the order of m/z
  std::uint64_t zeros = 0;                             // peaks of intensity 0
  std::uint64_t without_intensity = 0;                 // peaks
  std::uint64_t duplicates = 0;                        // peaks whose m/z an earlier peak of the spectrum has, too
  std::uint64_t titles = 0, scans = 0;                 // spectra that have one
  std::map<std::uint64_t, std::uint64_t> peak_counts;  // spectra by their number of peaks
  value_range mz, intensity;                           // of peaks
  value_range precursor_mz, rt_seconds;                // of spectra
  std::map<int, std::uint64_t> charges;                // spectra by their first charge; 0: none
  std::map<unsigned, std::uint64_t> ms_levels;         // spectra by their MS level

  void add(spectrum const& one);
  void add(summary const& other);
  /// Sets the bytes, lines and warnings of the whole input.
  void take_size(sort_report const& report);
  /// Returns a quantile of the numbers of peaks. @param share  0 to 1 @returns 0 if there are no spectra
  [[nodiscard]] std::uint64_t peaks_at(double share) const;
};

/// Summarizes the rest of an input, on all threads of the CPU. Parameters that are not numbers cause warnings, and count as
/// missing.
/// @throws as check
summary summarize(source& input, sort_options const& options);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
