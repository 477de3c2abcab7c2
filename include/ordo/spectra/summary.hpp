#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/order.hpp"
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

/// Counts of points in square cells. Cells are 1 wide at first; if more than max_cells hold points they become twice as wide.
/// The order in which points come does not matter.
class value_grid {
 public:
  static constexpr std::size_t max_cells = 4096;
  using cell = std::pair<std::int64_t, std::int64_t>;  // (i, j) holds x of [i, i + 1) width() and y of [j, j + 1) width()

  /// Adds a point; ignored if it is not finite.
  void add(double x, double y);
  void add(value_grid const& other);
  [[nodiscard]] double width() const noexcept { return double(std::uint64_t{1} << level_); }
  [[nodiscard]] std::map<cell, std::uint64_t> const& cells() const noexcept { return cells_; }

 private:
  void widen();

  std::map<cell, std::uint64_t> cells_;
  unsigned level_ = 0;
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
  value_range mz, intensity;                           // m/z and intensity of peaks
  value_range precursor_mz, rt_seconds;                // precursor m/z and retention time seconds of spectra
  std::uint64_t negative = 0;                          // peaks whose intensity is less than 0
  // Distributions, which are empty unless sort_options::distributions.
  /// Peaks by m/z: bin k holds [k, k + 1); the first one also smaller, the last possible one also greater numbers.
  static constexpr std::size_t max_mz_bins = 1 << 16;
  std::vector<std::uint64_t> mz_bins;
  /// Peaks by intensity: bin k holds [2^(k - 1074), 2^(k - 1073)), the last one of numbers also infinity.
  static constexpr int first_octave = -1074;
  std::vector<std::uint64_t> intensity_octaves;
  value_grid precursors;                        // spectra by retention time in seconds (x) and m/z of the precursor (y)
  std::map<int, std::uint64_t> charges;         // spectra by their first charge; 0: none
  std::map<unsigned, std::uint64_t> ms_levels;  // spectra by their MS level

  /// @param distributions  adds to them, too
  void add(spectrum const& one, bool distributions = false);
  void add(summary const& other);
  /// Sets the bytes, lines and warnings of the whole input.
  void set_size(sort_report const& report);
  /// Returns a quantile of the numbers of peaks. @param share  0 to 1
  /// @returns 0 if there are no spectra
  [[nodiscard]] std::uint64_t peaks_at(double share) const;
};

/// Counts the spectra and peaks that one step of a choice or a selection removes.
struct step_effect {
  std::string option;                    // as specsort has it: "--top 6 --per 100"
  std::uint64_t spectra = 0, peaks = 0;  // peaks: also those of the spectra
};

/// An input before and after a choice of spectra and a selection of peaks.
struct comparison {
  summary before, after;
  std::vector<step_effect> steps;  // in the order in which they are done

  void add(comparison const& other);
};

/// Summarizes the rest of an input as it is, and with the spectra and peaks, and in the order of peaks, that sort() would keep
/// with these options. Runs on all threads of the CPU, and takes the time of a selection for each step.
/// @param to  the format of the output; if it is MGF, and the input is not, a step "--to mgf" takes the spectra and peaks that
/// MGF does not get: those of MS level 1 or without precursor of a run, and peaks that are not finite. Spectra that are written
/// for each of several ions count as often. Without it: that of the input
/// @throws as summarize
comparison compare(source& input, sort_options const& options, format from, std::optional<format> to = {});

/// The same of many inputs, added up; without warnings, as an order of the spectra gives them.
/// @throws as order_spectra
comparison compare(spectrum_inputs const& inputs, sort_options const& options, std::optional<format> to = {});

/// Summarizes the rest of an input, on all threads of the CPU. Parameters that are not numbers cause warnings, and count as
/// missing.
/// @throws as check
summary summarize(source& input, sort_options const& options);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
