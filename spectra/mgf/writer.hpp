#pragma once
#include <string>
#include <string_view>

#include "ordo/spectra/spectrum.hpp"
#include "spectra/chunk/chunk.hpp"

namespace ordo::inline v0::spectra::detail {

/// Appends a spectrum as MGF: TITLE, RTINSECONDS, PEPMASS, CHARGE as msconvert writes them, SCANS, its metadata, and the peaks
/// in the given order. Numbers have no exponent, which not all programs read; retention times have ten digits, as msconvert's.
/// Of annotations, charges alone have a place.
print_losses print_mgf(printed_spectrum const& spectrum, sort_options const& options, std::string& title, std::string& output);

/// Appends the title of a spectrum on one line, and sets that of the header to what a reader finds. @param title  its memory
void add_title(spectrum_header& header, std::string& title, std::string& output);

/// Rounds a retention time to ten digits, and leaves out one that is not finite.
void round_time(spectrum_header& header);

/// Appends a peak: m/z, separator, intensity.
void add_peak(double mz, char separator, double intensity, peak_digits digits, std::string& output);

/// Returns the name that tells the run of a file from others in titles: "run" for "a/run.mzML.gz". Empty for files with another
/// extension than .mzML and .mzXML.
std::string run_name(std::string_view path);

/// Appends a finite number with as few digits as give it back, without exponent.
void add_number(double value, std::string& output);

}  // namespace ordo::inline v0::spectra::detail
