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

/// What repeats is asked for.
struct repeats_options {
  std::string prefix, output = "-";
  std::uint64_t least = 0;
  std::uint64_t limit = 10;  // occurrences, or pairs, of a repeat that are printed; 0: all
  bool pairs = false;
  std::optional<suffix::letter_choice> letters;
};

void add_repeats_options(CLI::App& command, repeats_options& how);

/// The maximal repeats of an index with LCP and BWT, or the maximal pairs.
int repeats(repeats_options const& how, cli::common_options const& common, telling& tell);

}  // namespace ordo::sufsort
