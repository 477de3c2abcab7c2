#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/order.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/specsort/options.hpp"

namespace ordo::inline v0::specsort {

/// Returns the inputs with their formats, and their lists of spectra.
/// @param again  they are read again later, so that they must be regular files
/// @throws usage_error, when an input is opened that cannot be read again
spectra::spectrum_inputs inputs_of(std::vector<std::string> const& inputs, spectrum_lists const& lists, unsigned threads,
                                   bool again);

using order_together = std::function<std::optional<spectra::order_report>(spectra::spectrum_inputs const&, cli::output&)>;

/// Orders the spectra of files into an output, or into parts of it.
/// @param as  the format; mzML only of inputs in mzML @param map  path of the origins; empty: none
/// @param committing  called when all is written, before files take their places
/// @param together  if set, is called first for a single output, and orders the spectra with others; or returns nothing, and
/// this
///     process works alone
spectra::order_report order_files(std::vector<std::string> const& inputs, spectrum_lists const& lists,
                                  std::string const& output, std::string const& map, spectra::format as,
                                  spectra::sort_options const& options, spectra::order_options order,
                                  cli::common_options const& common,
                                  std::function<void(spectra::sort_report const&)> const& committing,
                                  order_together const& together = {});

}  // namespace ordo::inline v0::specsort
