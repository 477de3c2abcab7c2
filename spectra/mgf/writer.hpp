#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "ordo/spectra/spectrum.hpp"

namespace ordo::spectra::detail {

/// Numbers of which have as few digits as give them back: those of a float, or those of a double.
struct mgf_digits {
  bool mz_single = false, intensity_single = false;
};

/// Appends a spectrum as MGF has it: TITLE, RTINSECONDS, PEPMASS, CHARGE as msconvert writes them, SCANS, and the peaks in the
/// order given. Numbers have no exponent, which not all programs read; retention times have ten digits, as msconvert's.
/// @returns how many peaks were left out, as they are not finite
std::size_t write_mgf(spectrum_header const& header, peak_list const& peaks, std::span<std::uint32_t const> order,
                      mgf_digits digits, std::string& to);

}  // namespace ordo::spectra::detail
