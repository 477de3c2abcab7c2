#pragma once
#include "strings/sort/text_job.hpp"

namespace ordo::inline v0::strings::detail {

/// Sorts a few lines by comparing them, on this thread, which takes less time than starting threads. Returns false, with the
/// bytes that were read in job.host, if there are more lines or a GPU is to sort them.
bool sorted_small(text_job& job);

}  // namespace ordo::inline v0::strings::detail
