#pragma once
#include <cstddef>
#include <string>

#include "ordo/suffix/duplicates.hpp"
#include "ordo/suffix/index.hpp"
#include "tools/sufsort/duplicates/duplicates_report.hpp"
#include "tools/sufsort/duplicates/line_files.hpp"

namespace ordo::inline v0::sufsort {

/// Writes the lines of an index of JSONL without the ranges of their strings, or with a list of the ranges. The files of the
/// index are read again.
/// @param column  the name of the list; empty: the ranges are removed
/// @param drops  lines of whose string nothing is left are left out
/// @param memory  bytes that may be used
/// @returns the ranges @throws input_error  if files have changed since they were indexed
duplicate_counts write_jsonl(suffix::stored_index const& index, suffix::copy_finder const& copies, line_files& out,
                             std::string const& column, bool drops, unsigned threads, std::size_t memory);

}  // namespace ordo::inline v0::sufsort
