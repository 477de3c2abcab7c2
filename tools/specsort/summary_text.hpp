#pragma once
#include <string>
#include <string_view>

#include "ordo/spectra/summary.hpp"

namespace ordo::specsort {

/// A summary for people: a table, and a histogram of the peaks a spectrum.
std::string summary_table(spectra::summary const& of, std::string_view name);
/// And for programs. What there are none of is null.
std::string summary_json(spectra::summary const& of, std::string_view name);

}  // namespace ordo::specsort
