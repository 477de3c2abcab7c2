#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::spectra {

/// What peaks are sorted by.
enum class sort_key { mz, intensity };

/// A distance in m/z: in Da, or in millionths of an m/z.
struct tolerance {
  double value = 0;
  bool ppm = false;
};

/// Which peaks of a spectrum stay. The steps are done in the order in which they stand here, each on what the one before left;
/// what is not set lets all through,
/// but for peaks whose m/z is NaN: these go. Of two peaks the greater is that of more intensity; of equal ones that of less
/// m/z; of equal ones the earlier in the input. An intensity that is missing is less than any other, and no number.
struct selection {
  /// m/z from here to there, both included.
  std::optional<double> least_mz, most_mz;
  /// Not those whose intensity is 0.
  bool drop_zero = false;
  /// Intensity of so much or more; what has none goes.
  std::optional<double> min_intensity;
  /// Not those so near to the precursor's m/z, or as near; where that is missing, and of MS level 1, which has no precursor,
  /// nothing goes.
  std::optional<tolerance> remove_precursor;
  /// And to what the precursor would have at each smaller charge c: M / c + proton, where M is its neutral mass (for negative
  /// charges M / c - proton). Where the charge is missing that is the precursor's m/z alone.
  bool all_charges = false;
  /// Intensity of so much of the greatest that is left, 0 to 1, or more; what has none goes. Nothing goes where the greatest is
  /// not above 0.
  std::optional<double> min_relative;
  /// From the greatest down, each peak that is as near as this to a greater one that stays goes; ppm are those of the peak that
  /// stays.
  std::optional<tolerance> dedupe;
  /// The `top` greatest; with `per` those of each window [k per, (k + 1) per) of m/z, k whole.
  std::optional<std::size_t> top;
  std::optional<double> per;
  /// Spectra with fewer peaks left go whole.
  std::size_t min_peaks = 0;

  /// Does it let everything through?
  [[nodiscard]] bool empty() const;
  /// @throws usage_error  for what makes no sense: a negative tolerance, `per` without `top`, a range that ends before it
  /// begins
  void check() const;
  bool operator==(selection const&) const;
};

/// What programs of the field do to spectra before they use them, as far as it is a selection: "casanovo", "xtandem", "gicops".
/// Nothing for another name.
std::optional<selection> preset(std::string_view name);
std::span<std::string_view const> preset_names();

/// Lists a selection as specsort's options, by name and value, in the order of the steps.
std::vector<std::pair<std::string, std::string>> as_options(selection const& select);

}  // namespace ordo::spectra
