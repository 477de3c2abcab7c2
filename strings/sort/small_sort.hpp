#pragma once
#include "strings/sort/text_job.hpp"

namespace ordo::strings::detail {

/// Sorts a few lines by comparing them, on this thread: it takes less time than starting threads. Leaves the texts of larger
/// jobs, and those of a GPU's, for others: what it read is in job.host. @returns whether it did it all
bool sorted_small(text_job& job);

}  // namespace ordo::strings::detail
