#pragma once
#include <string>

#include "tools/sufsort/commands.hpp"

namespace ordo::sufsort {

/// Prints what is in an index. @returns the exit status
int info(std::string const& prefix, telling& tell);

}  // namespace ordo::sufsort
