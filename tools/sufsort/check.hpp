#pragma once
#include <string>

#include "tools/cli/options.hpp"
#include "tools/sufsort/commands.hpp"
#include "tools/sufsort/memory_limits.hpp"

namespace ordo::sufsort {

/// Proves an index right, or tells what is wrong with it. @returns the exit status
int check(std::string const& prefix, memory_limits const& memory, cli::common_options const& common, telling& tell);

}  // namespace ordo::sufsort
