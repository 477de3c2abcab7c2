#pragma once
#include <string>
#include <string_view>

#include "spectra/chunk/chunk.hpp"

namespace ordo::inline v0::spectra::detail {

/// What userParams that hold a parameter of MGF have before its name, so that it comes back.
inline constexpr std::string_view parameter_prefix = "MGF ";

/// Appends a spectrum as an element of mzML: its title, the values of its header, its metadata as userParams, and two arrays of
/// all its peaks in the given order, in the encoding of the options: else doubles, or floats that were floats, in zlib. Its
/// number is empty, and so is its id unless it has a scan number of a run; new_document sets them.
print_losses print_mzml(printed_spectrum const& spectrum, sort_options const& options, std::string& title, std::string& output);

/// Appends a text as the value of an attribute. Characters that XML does not have, and bytes that are no UTF-8, become U+FFFD.
void add_attribute(std::string_view text, std::string& output);

}  // namespace ordo::inline v0::spectra::detail
