#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ordo/suffix/index.hpp"

namespace ordo::inline v0::sufsort {

/// The score of each record of an index, as suffix::kept_copies::best compares them.
struct record_scores {
  std::vector<double> all;         // NaN: it has none
  std::uint64_t missing = 0;       // records without one, but for blank and bad lines
  std::string first_missing = {};  // file and line of the first of them
};

/// Reads the scores of an index of JSONL from its files.
/// @param field  the names that lead to the score, separated by '.' @param memory  bytes that may be used
/// @throws input_error  if a file has another number of lines than when it was indexed, or cannot be read
record_scores read_scores(suffix::stored_index const& index, std::string const& field, unsigned threads, std::size_t memory);

/// Reads scores from a file of numbers of 64 bits, one for each record. @throws input_error  if it has another size
record_scores load_scores(suffix::stored_index const& index, std::string const& path);

/// Returns the source of each file of an index: the number of the name that is the file's or that of a folder above it, of
/// several the longest, "." being that of all relative names; sources.size() if there is none.
/// @throws input_error  if a source has no file
std::vector<std::size_t> find_sources(suffix::stored_index const& index, std::vector<std::string> const& sources);

/// Returns scores that are the higher, the smaller the number of the source is; none without sources.
/// @param file_sources  what find_sources returns
record_scores scores_of_sources(suffix::stored_index const& index, std::vector<std::size_t> const& file_sources);

}  // namespace ordo::inline v0::sufsort
