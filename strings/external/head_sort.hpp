#pragma once
#include "ordo/strings/external_sort.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::inline v0::strings::detail {

/// Writes the first options.head lines of the order without sorting the others: a line is kept only if it comes before the last
/// of those that have been found so far. Memory: these lines, and a block of the texts.
/// @returns false for a head that is too large, for lines that are counted, for a GPU, and if the lines do not fit in memory.
/// Then job.host has the lines that may still be written, followed by what was read after them
bool sorted_head(text_job& job, spill_options const& spill);

}  // namespace ordo::inline v0::strings::detail
