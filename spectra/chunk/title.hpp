#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ordo/spectra/spectrum.hpp"

namespace ordo::inline v0::spectra::detail {

/// Returns the name of the run of an input in titles: "run" for "a/run.mzML.gz". Empty for standard input.
std::string run_of_file(std::string_view path);

/// Replaces the fields of a template of titles (check_title_template). @param number  in its input, from 0
/// @param name  the name of the input @param run  that of {run} @param title  receives the result
void fill_title(std::string_view text, spectrum_header const& header, std::uint64_t number, std::string_view name,
                std::string_view run, std::string& title);

}  // namespace ordo::inline v0::spectra::detail
