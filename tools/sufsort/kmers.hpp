#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "suffix/kmer_table.hpp"
#include "tools/cli/options.hpp"
#include "tools/sufsort/telling.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ordo::sufsort {

/// The option `name`, of the letters that a k-mer has.
CLI::Option* add_kmers_option(CLI::App& command, std::string const& name, unsigned& length, std::string const& help);

/// The words that a table for a text is of. @param width  of its entries, in bits @param memory  bytes that it may take
/// @throws usage_error  for a length of which there would be too many words @throws out_of_memory
suffix::kmer_words words_for(std::string_view residues, unsigned length, unsigned width, std::size_t memory);

/// Adds a table of k-mers to an index, in place of the one that it has. An index that cannot have it stays as it is.
/// @throws as words_for
void add_kmers(std::string const& prefix, unsigned length, cli::common_options const& common, telling& tell);

}  // namespace ordo::sufsort
