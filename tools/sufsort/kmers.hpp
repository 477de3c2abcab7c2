#pragma once
#include <string>
#include <vector>

#include "suffix/entries.hpp"
#include "suffix/index.hpp"
#include "suffix/suffix.hpp"
#include "tools/cli/options.hpp"
#include "tools/sufsort/telling.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ordo::sufsort {

/// The option `name`, of the letters that a k-mer has.
CLI::Option* add_kmers_option(CLI::App& command, std::string const& name, unsigned& length, std::string const& help);

/// The bytes of a table of k-mers, and about.words, for an index that is described so far. @param name  of sa, for messages
/// @throws usage_error  for a length of which there would be too many words
std::vector<char> make_kmers(suffix::index_description& about, suffix::text const& input, suffix::entries sa,
                             std::string const& name, unsigned length, unsigned threads, telling& tell);

/// Adds a table of k-mers to an index, in place of the one that it has. An index that cannot have it stays as it is.
/// @throws as make_kmers
void add_kmers(std::string const& prefix, unsigned length, cli::common_options const& common, telling& tell);

}  // namespace ordo::sufsort
