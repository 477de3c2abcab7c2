#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ordo/suffix/index.hpp"

namespace ordo::inline v0::sufsort {

/// The score of each record of an index of JSONL, from its files.
struct record_scores {
  std::vector<double> all;         // NaN: it has none
  std::uint64_t missing = 0;       // records without one, but for blank and bad lines
  std::string first_missing = {};  // file and line of the first of them
};

/// @param field  the names that lead to the score, separated by '.' @param memory  bytes that may be used
/// @throws input_error  if a file has another number of lines than when it was indexed, or cannot be read
record_scores read_scores(suffix::stored_index const& index, std::string const& field, unsigned threads, std::size_t memory);

}  // namespace ordo::inline v0::sufsort
