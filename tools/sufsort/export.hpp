#pragma once
#include <string>

#include "tools/cli/options.hpp"
#include "tools/sufsort/commands.hpp"

namespace CLI {
class App;
}

namespace ordo::sufsort {

/// What export is asked for.
struct export_options {
  std::string prefix, output, format;
};

void add_export_options(CLI::App& command, export_options& how);

/// The suffix array in a form that another program reads.
int export_array(export_options const& how, cli::common_options const& common, telling& tell);

}  // namespace ordo::sufsort
