#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/generate/sink.hpp"

namespace ordo::inline v0::generate {

struct spectra_options {
  std::size_t count = 1000;
  std::string_view preset = "proteomics";  // one of spectra_presets()
  std::string_view order = "mz";           // one of spectra_orders()
  std::uint64_t seed = 1;
};

/// proteomics (Orbitrap HCD, median 170 peaks), iontrap (690 peaks, many digits), gnps (library spectra: 40 peaks under 20
/// header lines, tabs), timstof (a third column), profile (1,000 to 100,000 points, most of intensity 0), peptides (a median of
/// about 120 peaks; of eight spectra or so for each peptide, a few peptides have many).
std::vector<std::string_view> spectra_presets();
/// mz, intensity (descending), random, reversed (m/z descending), nearly (m/z, one peak in a hundred out of place).
std::vector<std::string_view> spectra_orders();

struct spectra_report {
  std::size_t peaks = 0;
};

/// Writes MGF. The same seed gives the same peaks in any order. One peak in 500 has the m/z of the one before it, so that there
/// are ties.
/// @throws usage_error for a preset or order that is none
spectra_report write_spectra(spectra_options const& options, sink& out);

}  // namespace ordo::inline v0::generate
