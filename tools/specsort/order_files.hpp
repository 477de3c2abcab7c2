#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/order.hpp"
#include "tools/cli/options.hpp"

namespace ordo::specsort {

/// Orders the spectra of files into an output, or parts of it.
/// @param as  mzML: of one input, which is mzML, and of one part
/// @param map  where to write where they came from; empty: nowhere
/// @param committing  called when all is written, and takes its place
spectra::order_report order_files(std::vector<std::string> const& inputs, std::string const& output, std::string const& map,
                                  spectra::format as, spectra::sort_options const& options, spectra::order_options order,
                                  cli::common_options const& common,
                                  std::function<void(spectra::sort_report const&)> const& committing);

}  // namespace ordo::specsort
