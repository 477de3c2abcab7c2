#pragma once
#include <string>
#include <string_view>

#include "ordo/spectra/summary.hpp"

namespace ordo::inline v0::specsort {

/// Returns a summary for people: a table, and a histogram of the peaks per spectrum.
std::string summary_table(spectra::summary const& of, std::string_view name);
/// Returns a summary as JSON. Missing ranges are null.
std::string summary_json(spectra::summary const& of, std::string_view name);

}  // namespace ordo::inline v0::specsort
