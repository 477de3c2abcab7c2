#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ordo/spectra/summary.hpp"

namespace ordo::inline v0::specsort {

/// Returns a page of HTML that needs no other file: tables, histograms and a map of an input before and after.
/// @param name  the name of the input @param command  the arguments of the command, for its first line
std::string report_page(spectra::comparison const& of, std::string_view name, std::vector<std::string> const& command);

}  // namespace ordo::inline v0::specsort
