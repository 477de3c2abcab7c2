#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "ordo/suffix/kmer_table.hpp"
#include "tools/cli/options.hpp"
#include "tools/sufsort/commands.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ordo::sufsort {

/// Which table of k-mers an index gets.
struct kmer_options {
  std::string option, force_option;  // their names, for messages
  bool wanted = false;
  unsigned length = 0;  // letters of a k-mer; 0: those that suit the suffix array
  bool force = false;   // even if it is larger than the suffix array
};

/// The option `name`, of the letters that a k-mer has, and `force`. @returns the former
CLI::Option* add_kmer_options(CLI::App& command, std::string const& name, std::string const& force, kmer_options& how);

/// Returns the words that a table for a text is of.
/// @param rows  of the suffix array, whose entries are as wide as the table's @param width  in bits
/// @throws usage_error  for a length of which there would be too many words, or more than rows unless that is forced
suffix::kmer_set words_for(std::string_view residues, kmer_options const& how, std::size_t rows, unsigned width);

/// @throws usage_error  as words_for
void check_size(suffix::kmer_set const& words, kmer_options const& how, std::size_t rows, unsigned width);

/// Returns the bytes of a table.
std::size_t table_bytes(suffix::kmer_set const& words, unsigned width);

/// @param memory  bytes that the table may take @param how  what to do for more, for the message @throws out_of_memory
void check_memory(suffix::kmer_set const& words, unsigned width, std::size_t memory, std::string const& how);

/// Adds a table of k-mers to an index, in place of the one that it has. An index that cannot have it stays as it is.
/// @throws as words_for, check_memory
void add_kmers(std::string const& prefix, kmer_options const& how, cli::common_options const& common, telling& tell);

}  // namespace ordo::sufsort
