#pragma once
#include <optional>
#include <string>

#include "ordo/spectra/mzml.hpp"
#include "tools/cli/files/input.hpp"

namespace ordo::inline v0::specsort {

/// Refuses the folder that an instrument writes, which no program opens as a file. @throws input_error  naming the instrument
void refuse_instrument_folder(std::string const& path);

/// Returns the format of an input, by its bytes.
/// @throws input_error  if it is empty although its name promises mzML or another format that is not MGF
spectra::format format_of_input(cli::input& in);

/// Returns the name of the output of an input in a folder: that of the input, with the extension of `to` if that is another
/// format. An extension of compression stays: run.mzML.gz becomes run.mgf.gz.
std::string name_of_output(std::string const& input, spectra::format from, spectra::format to);

/// Returns the format of the output: that of --to, else that of its name, if any.
/// @throws usage_error  if it is the name of a format that is not written
std::optional<spectra::format> format_of_output(std::string const& output, std::string const& to);

/// Returns the format of the output: that of --to, else that of its name, else that of the input.
/// @throws input_error  if the input is in a format that is not read
spectra::format format_of_output(std::string const& output, std::string const& to, cli::input& in, spectra::format read);

}  // namespace ordo::inline v0::specsort
