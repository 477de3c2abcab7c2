#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "ordo/suffix/kmer_table.hpp"

namespace ordo::inline v0::sufsort {

/// The table of k-mers that an index gets.
struct kmer_options {
  std::string option;  // name in messages of the option for the length
  bool wanted = false;
  unsigned length = 0;  // letters of a k-mer; 0: chosen by the size of the suffix array
  bool force = false;   // allow a table larger than the suffix array
};

/// Returns the k-mers of a table for a text. @param rows  the rows of the suffix array @param width  bits of an entry of both
/// @throws usage_error  if there would be too many k-mers, or more than rows unless forced
suffix::kmer_set words_for(std::string_view residues, kmer_options const& options, std::size_t rows, unsigned width);

/// @throws usage_error  as words_for
void check_size(suffix::kmer_set const& words, kmer_options const& options, std::size_t rows, unsigned width);

/// Returns the bytes of a table.
std::size_t table_bytes(suffix::kmer_set const& words, unsigned width);

/// @param memory  bytes that the table may use @param advice  the end of the message @throws out_of_memory
void check_memory(suffix::kmer_set const& words, unsigned width, std::size_t memory, std::string const& advice);

}  // namespace ordo::inline v0::sufsort
