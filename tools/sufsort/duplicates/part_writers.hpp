#pragma once
#include <string_view>

#include "ordo/suffix/duplicates.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/sufsort/duplicates/duplicates_report.hpp"

/// What duplicates writes of an index alone, by all threads: of parts of the text, in order.
namespace ordo::inline v0::sufsort {

/// Writes the records of a text without the ranges.
/// @param drops  records of which nothing is left are left out, with their ends
/// @returns the ranges
duplicate_counts write_clean_text(suffix::stored_index const& index, suffix::copy_finder const& copies, cli::output& out,
                                  unsigned threads, bool drops);

/// Writes ranges.
/// @param format  tsv, jsonl or pairs
/// @returns the ranges
duplicate_counts write_ranges(suffix::stored_index const& index, suffix::copy_finder const& copies, cli::output& out,
                              unsigned threads, std::string_view format);

}  // namespace ordo::inline v0::sufsort
