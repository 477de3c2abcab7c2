#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ordo/spectra/spectrum.hpp"
#include "spectra/chunk/chunk.hpp"

namespace ordo::inline v0::spectra::detail {

/// Appends a spectrum as MGF: TITLE, RTINSECONDS, PEPMASS, CHARGE as msconvert writes them, SCANS, and the peaks in the given
/// order. Numbers have no exponent, which not all programs read; retention times have ten digits, as msconvert's.
/// @param header  becomes what a reader of the output finds @param title  memory for its title
/// @returns the number of peaks that are left out because they are not finite
std::size_t print_mgf(spectrum_header& header, std::string& title, peak_list const& peaks, std::span<std::uint32_t const> order,
                      peak_digits digits, std::string& output);

/// Returns the name that tells the run of a file from others in titles: "run" for "a/run.mzML.gz". Empty for files with another
/// extension than .mzML and .mzXML.
std::string run_name(std::string_view path);

/// Appends a finite number with as few digits as give it back, without exponent.
void add_number(double value, std::string& output);

}  // namespace ordo::inline v0::spectra::detail
