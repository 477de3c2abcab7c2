#pragma once
#include <optional>
#include <string>

#include "ordo/spectra/mzml.hpp"
#include "tools/cli/input.hpp"

namespace ordo::specsort {

/// The format of an input, by its bytes.
/// @throws input_error  if it is empty, where its name promises mzML or another format than MGF
spectra::format format_of_input(cli::input& in);

/// The format of the output: that of --to, else what its name says; nothing if it says nothing.
/// @throws usage_error  if the name says a format that is not written
std::optional<spectra::format> format_of_output(std::string const& output, std::string const& to);

/// The same, else the input's format.
/// @throws input_error  if the input is in a format that is not read, whatever the output's name is
/// @throws usage_error  if the output was to be mzML and the input is MGF
spectra::format format_of_output(std::string const& output, std::string const& to, cli::input& in, spectra::format read);

}  // namespace ordo::specsort
