#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace ordo::inline v0::spectra {

/// The value by which peaks are sorted.
enum class sort_key { mz, intensity };

/// A distance in m/z: in Da, or in millionths of an m/z.
struct tolerance {
  double value = 0;
  bool ppm = false;
};

/// The rules that decide which peaks of a spectrum are kept. The steps are done in the order of the members, each on the peaks
/// that the step before kept. A rule that is not set keeps all peaks, except those whose m/z is NaN: any selection drops them.
/// The greater of two peaks has more intensity; if equal, less m/z; if equal, the earlier place in the input. A missing
/// intensity is less than any other, and no number.
struct selection {
  /// Keeps m/z from min_mz to max_mz, both included.
  std::optional<double> min_mz = {}, max_mz = {};
  /// Drops peaks of intensity 0.
  bool drop_zero = false;
  /// Keeps peaks of at least this intensity. Peaks without one are dropped.
  std::optional<double> min_intensity = {};
  /// Drops peaks that are at most this far from the precursor's m/z. Spectra without it, and those of MS level 1, which have no
  /// precursor, lose nothing.
  std::optional<tolerance> remove_precursor = {};
  /// The distance for peaks above the precursor's m/z, if it differs from that for those below. May be infinite.
  std::optional<tolerance> remove_precursor_above = {};
  /// Drops also peaks near the m/z that the precursor would have at each smaller charge c: M / c + proton, where M is its
  /// neutral mass (M / c - proton for negative charges). Without a charge that is the precursor's m/z alone.
  bool all_charges = false;
  /// Keeps peaks of at least this share, 0 to 1, of the greatest intensity that is left; drops peaks without intensity. Nothing
  /// is dropped if the greatest intensity is not above 0.
  std::optional<double> min_relative = {};
  /// From the greatest peak down, drops each peak that is at most this far from a greater one that is kept. ppm refer to the
  /// peak that is kept.
  std::optional<tolerance> dedupe = {};
  /// From the greatest peak down, adds to each peak the intensities of the peaks at most this far from it that were not added
  /// to another, and drops these. The greatest keeps its m/z. The sum is made in double precision: of its own intensity, those
  /// of peaks above it in ascending order of m/z, and those below in descending order; those that are not finite are not added,
  /// and a sum beyond the greatest number is that number. The steps that follow see sums. Not with `dedupe`.
  std::optional<tolerance> merge = {};
  /// Merges before all steps but the range of m/z, so that the limits of intensity see sums.
  bool merge_first = false;
  /// Keeps the `top` greatest peaks; with `per` those of each window [k per, (k + 1) per) of m/z, k whole. With `around` it
  /// keeps each peak for which the peaks less than `around` away in m/z have fewer than `top` different greater intensities:
  /// equal intensities share a rank. Takes the time of the number of peaks, times that of peaks around each, times `top` at
  /// worst.
  std::optional<std::size_t> top = {};
  std::optional<double> per = {};
  std::optional<double> around = {};
  /// Drops spectra with fewer kept peaks.
  std::size_t min_peaks = 0;

  /// Returns true if no rule is set.
  [[nodiscard]] bool empty() const;
  /// @throws usage_error  for a negative tolerance, `per` without `top`, an empty range and the like
  void check() const;
  bool operator==(selection const&) const;
};

/// The selection that some versions of a program of the field make before they use spectra.
struct preset_info {
  std::string_view name;
  /// The versions that do these steps, as 5.0 and 5.2, which stands for 5.2.1, too. Empty if the program has no versions.
  std::string_view first, last;
  std::string_view program;  // the program, its licence, and the file of its source that the steps are taken from
  std::string_view changed;  // the difference to the versions before, or what is known of others
  std::string_view then;     // the program's treatment of these spectra, and its difference at the bounds of a rule
  selection select;
};

/// Returns all presets: those of a program together, the newest first.
std::span<preset_info const> presets();
/// Finds a preset by its name, as "casanovo", which is the newest that is known, or by name and version, as "casanovo@5.0".
/// @returns nullptr for an unknown name or version
preset_info const* find_preset(std::string_view name);
/// Returns the selection of find_preset. Nothing for an unknown name or version.
std::optional<selection> preset(std::string_view name);
/// Returns the names of the programs.
std::span<std::string_view const> preset_names();

/// Lists a selection as specsort's options, by name and value, in the order of the steps.
std::vector<std::pair<std::string, std::string>> as_options(selection const& select);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
