#pragma once
#include <algorithm>
#include <cstddef>
#include <string>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/build_fasta.hpp"
#include "tools/sufsort/building/build_options.hpp"
#include "tools/sufsort/memory_limits.hpp"

namespace ordo::inline v0::sufsort {

/// Returns the bits of an entry. @param wanted  --width @throws usage_error  if these are too few
unsigned width_for(std::string const& wanted, std::size_t residues, std::size_t records);

/// Bytes of host memory that a build by the CPU holds while it sorts.
struct held_memory {
  std::size_t text;     // with its tables of pieces and records
  std::size_t results;  // arrays, before they are packed
};

/// The host memory that a build by the CPU needs, including a table of k-mers.
struct needed_memory {
  held_memory held;
  suffix::memory_estimate sorting;
  std::size_t table = 0;

  [[nodiscard]] std::size_t total(std::size_t bytes) const { return held.text + std::max(held.results + bytes, table); }
  [[nodiscard]] std::string advice(memory_limits const& limits, std::size_t reading = 0) const;
};

held_memory held_by(build_options const& options, std::size_t n, std::size_t records, unsigned width);
needed_memory needed_by(build_options const& options, std::size_t n, std::size_t records, unsigned width, std::size_t table);

/// Estimates the bytes of a table of the k-mers of DNA, if their length was given.
std::size_t likely_table(kmer_options const& options, unsigned width);

/// Throws out_of_memory with the memory that suffices to read and sort the records.
[[noreturn]] void refuse_large(suffix::records_too_large const& e, build_options const& options);

/// Adds to an error the memory that suffices to read and sort a text of at least `bytes` bytes.
[[noreturn]] void refuse_large(out_of_memory const& e, build_options const& options);

}  // namespace ordo::inline v0::sufsort
