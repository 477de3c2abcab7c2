#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/fm_index.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The arrays of a text as they lie in files. lcp and bwt may be empty.
struct stored_arrays {
  entries sa, lcp;
  std::span<char const> bwt;
};

struct merge_options {
  unsigned threads = 0;                                          // 0: all
  std::size_t memory = std::numeric_limits<std::size_t>::max();  // in bytes, besides the texts and arrays
};

/// Returns the bytes of memory that merge_arrays takes for a second text of n residues.
std::size_t merge_memory(std::size_t n, bool lcp);

/// Merges the arrays of two texts to those of one text, which has the records of the first and then those of the second: the
/// same bytes as if they were built at once. The rank of each suffix of the second text among those of the first takes a step
/// of backward search from the rank of the next suffix (Hon et al., ICALP'04; Siren, DCC'09); a dozen walks are interleaved to
/// hide the latency of memory. Time O(n) for n residues of the second text, and one pass over the first one's arrays.
/// @param all  the merged text, of bytes
/// @param first_records  the number of its records that are the first text's
/// @param fm  the FM index of the first text
/// @param out  sinks for sa and, if both texts have them, lcp and bwt; entry_bytes is 4, 5 or 8
/// @throws usage_error  for arrays of the wrong size, and arrays wanted that a text lacks
/// @throws input_error  if an array holds no position of its text, or rows are out of order
/// @throws out_of_memory  before any work
void merge_arrays(text const& all, std::size_t first_records, stored_arrays const& first, stored_arrays const& second,
                  fm_index const& fm, sinks const& out, merge_options const& options = {});

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
