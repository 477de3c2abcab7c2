#pragma once
#include <algorithm>
#include <vector>

#include "ordo/spectra.hpp"

namespace ordo::inline v0::spectra::detail {

/// Adds times of phases to those of the same names. Phases of other names are appended.
inline void add_phases(std::vector<phase_time>& all, std::vector<phase_time> const& more) {
  for (phase_time const& phase : more) {
    auto const same = std::ranges::find(all, phase.name, &phase_time::name);
    if (same == all.end()) {
      all.push_back(phase);
      continue;
    }
    same->seconds += phase.seconds;
    same->waited += phase.waited;
    same->bytes += phase.bytes;
  }
}

}  // namespace ordo::inline v0::spectra::detail
