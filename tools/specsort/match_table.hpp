#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/spectra/choice.hpp"

namespace ordo::inline v0::specsort {

/// Reads a list of universal spectrum identifiers (USI), one a line, or a table of peptide-spectrum matches: mzTab, or a table
/// with a row of names and tabs between its columns. It names spectra by run, and by scan number, number from 0 on, native id
/// or title; the sequence may be missing. If a spectrum has several rows, the first one counts.
/// @param inputs  the names of the inputs, whose runs are those without folders and extensions
/// @returns the spectra of each input @throws input_error  naming the line; or if no row is of a run of the inputs
std::vector<std::shared_ptr<spectra::named_spectra const>> read_matches(std::string const& path,
                                                                        std::vector<std::string> const& inputs);

}  // namespace ordo::inline v0::specsort
