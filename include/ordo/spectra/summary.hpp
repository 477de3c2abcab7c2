#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>

#include "ordo/spectra.hpp"
#include "ordo/spectra/spectrum.hpp"

namespace ordo::spectra {

/// The least and the greatest of some numbers, and how many they were.
struct value_range {
  std::uint64_t count = 0;
  double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();

  /// NaN is no number.
  void add(double value) noexcept {
    if (std::isnan(value)) return;
    ++count;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  void add(value_range const& other) noexcept {
    count += other.count;
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
};

/// What is in an input.
struct summary {
  std::uint64_t bytes = 0, lines = 0, spectra = 0, peaks = 0, warnings = 0;
  std::uint64_t in_order = 0;                          // spectra whose peaks are in the order of m/z
  std::uint64_t zeros = 0;                             // peaks of intensity 0
  std::uint64_t without_intensity = 0;                 // peaks
  std::uint64_t duplicates = 0;                        // peaks whose m/z an earlier one of their spectrum has, too
  std::uint64_t titles = 0, scans = 0;                 // spectra that have one
  std::map<std::uint64_t, std::uint64_t> peak_counts;  // how many spectra have so many peaks
  value_range mz, intensity;                           // of peaks
  value_range precursor_mz, rt_seconds;                // of spectra
  std::map<int, std::uint64_t> charges;                // how many spectra have it as their first; 0: none
  std::map<unsigned, std::uint64_t> ms_levels;         // how many say so

  void add(spectrum const& one);
  void add(summary const& other);
  /// Of the whole input: its bytes, lines and warnings.
  void take_size(report const& done);
  /// Of the spectra ordered by their number of peaks, the number that the one at `share` of them has, 0 to 1; 0 of none.
  [[nodiscard]] std::uint64_t peaks_at(double share) const;
};

/// Looks at the rest of an input, by all threads; no machine is asked. Parameters that are not numbers are warned of, and count
/// as missing. @throws as check
summary summarize(source& from, options const& how);

}  // namespace ordo::spectra
