#pragma once
#include <string>

#include "spectra/chunk/chunk.hpp"

namespace ordo::inline v0::spectra::detail {

/// Appends a spectrum as a record of MSP: its name, the values of its header, its metadata by the names of options.names, the
/// number of its peaks, and the peaks in the given order, with their annotations. Numbers are as in print_mgf. Retention times
/// are in seconds.
print_losses print_msp(printed_spectrum const& spectrum, sort_options const& options, std::string& title, std::string& output);

}  // namespace ordo::inline v0::spectra::detail
