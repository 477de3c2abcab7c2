#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ordo/suffix/letters.hpp"
#include "tools/cli/options.hpp"
#include "tools/sufsort/commands.hpp"

namespace CLI {
class App;
}

namespace ordo::sufsort {

/// What unique is asked for.
struct unique_options {
  std::string prefix, output = "-";
  std::uint64_t length = 0;
  std::optional<suffix::letter_choice> letters;
};

void add_unique_options(CLI::App& command, unique_options& how);

/// How often the letters that begin at each position occur, as bedGraph.
int unique(unique_options const& how, cli::common_options const& common, telling& tell);

}  // namespace ordo::sufsort
