#pragma once
#include "suffix/policy.hpp"

namespace CLI {
class App;
}

namespace ordo::sufsort {

/// What of the records an index is built of.
void add_policy_options(CLI::App& command, suffix::policy& which);

}  // namespace ordo::sufsort
