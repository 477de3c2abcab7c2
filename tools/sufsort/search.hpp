#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "tools/cli/options.hpp"
#include "tools/sufsort/commands.hpp"

namespace CLI {
class App;
}

namespace ordo::sufsort {

/// What count and locate are asked for.
struct search_options {
  std::string prefix;
  std::vector<std::string> patterns, files;
  std::string output = "-";
  std::size_t limit = 1000;  // hits of a pattern that are printed; 0: all
  bool both_strands = false;
  bool bed = false;
  std::size_t context = 0;  // letters before and behind a hit
};

/// @param locates  else it counts
void add_search_options(CLI::App& command, search_options& how, bool locates);
/// The files that patterns come from, "-" for standard input, which a pattern "-" stands for, too.
std::vector<std::string> inputs_of(search_options const& how);

/// Where patterns occur, or how often. In order of the patterns; what is printed of one, by record, position and strand.
int locate(search_options const& how, cli::common_options const& common, telling& tell);
int count(search_options const& how, cli::common_options const& common, telling& tell);

}  // namespace ordo::sufsort
