#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/order.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/specsort/options.hpp"

namespace ordo::inline v0::specsort {

/// Returns the inputs with their formats, and their lists of spectra.
/// @param again  they are read again later, so that they must be regular files
/// @throws usage_error, when an input is opened that cannot be read again
spectra::spectrum_inputs open_inputs(std::vector<std::string> const& inputs, spectrum_lists const& lists, unsigned threads,
                                     bool again);

/// Orders spectra with other processes. @param out  nullptr: the order cannot be divided
/// @returns nothing if this process has
/// to call the library alone
using order_together = std::function<std::optional<spectra::order_report>(spectra::spectrum_inputs const&, cli::output* out)>;

/// Orders the spectra of files into an output, or into parts of it.
/// @param as  the format; mzML only of inputs in mzML @param map  path of the origins; empty: none
/// @param renumbers  spectra of MGF and MSP get the scan numbers 1, 2 and so on
/// @param committing  called when all is written, before files take their places
/// @param options  may change until `together` returns @param together  if set, is called first
spectra::order_report order_files(std::vector<std::string> const& inputs, spectrum_lists const& lists,
                                  std::string const& output, std::string const& map, bool renumbers, spectra::format as,
                                  spectra::sort_options& options, spectra::order_options order,
                                  cli::common_options const& common,
                                  std::function<void(spectra::sort_report const&)> const& committing,
                                  order_together const& together = {});

/// Works as another process than the first one, which calls order_files(). @param options  with sort_options::members
spectra::order_report help_order_files(std::vector<std::string> const& inputs, spectrum_lists const& lists, spectra::format as,
                                       spectra::sort_options const& options, spectra::order_options const& order,
                                       unsigned threads);

}  // namespace ordo::inline v0::specsort
