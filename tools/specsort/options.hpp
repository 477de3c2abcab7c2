#pragma once
#include <optional>
#include <string>

#include "ordo/spectra.hpp"

namespace CLI {
class App;
}

namespace ordo::specsort {

/// The options that say which peaks stay, as they were given; empty: not given.
struct selection_options {
  std::string preset, mz_range, min_intensity, remove_precursor, min_relative, dedupe, top, per, min_peaks;
  bool drop_zero = false, all_charges = false;

  /// Adds them to a tool's, in the order in which the steps are done.
  void add_to(CLI::App& app);
  /// The preset, if one was named, with what else was given in its numbers' place.
  /// @throws usage_error for values that are none
  [[nodiscard]] spectra::selection made() const;
};

/// The steps that are done to each spectrum, in order, a line each: for --explain.
std::string explained(spectra::selection const& select, std::string const& preset, spectra::sort_key by, bool descending);

}  // namespace ordo::specsort
