#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/generate/sink.hpp"

namespace ordo::inline v0::generate {

/// The parameters of a genome rich in repeats. Lengths are in residues; 0 means the default that the comment names.
struct genome_options {
  std::size_t length = 0;   // length of one copy
  std::size_t records = 1;  // sequences of a copy, of differing lengths
  std::uint64_t seed = 1;
  std::size_t duplication_length = 0;  // 0: length / 100, or a quarter of the longest record if that is less
  std::size_t n_runs = 3;              // lengths fall evenly from the first one's
  std::size_t n_run_length = 0;        // the first one; 0: length / 50, or an eighth of the longest record if that is less
  std::size_t copies = 1;              // copies of the whole, nearly identical
  double divergence = 0.001;           // substitutions a residue in each copy but the first
  bool soft_mask = false;              // repeats in lower case
  std::size_t width = 60;              // residues a line
};

/// A stretch that stands twice in the text, so that the suffixes at `first` and `second` share `length` residues at least.
/// Positions are 0-based in the concatenation of all records.
struct planted_repeat {
  enum kind { duplication, n_run, near_identical_copy } type;
  std::size_t length, first, second;
};

struct genome_report {
  std::size_t residues = 0, records = 0;
  std::size_t interspersed = 0, tandem = 0;  // residues written as such in the first copy, before anything else covered them
  std::vector<planted_repeat> planted;       // longest first
};

/// Writes FASTA; all threads make the residues, which are the same however many there are. Without N runs and copies the
/// longest planted repeat is the longest that was planted on purpose; random ones are much shorter. Memory: the length of one
/// copy, twice that with copies.
/// @throws usage_error for options that cannot be, or leave no room
genome_report write_genome(genome_options const& options, sink& out);

/// The same residues, one copy after the other, without headers and line ends, into the caller's memory, by all threads.
/// @param residues  options.length times options.copies of them @throws as write_genome
genome_report make_genome(genome_options const& options, std::span<char> residues);

}  // namespace ordo::inline v0::generate
