#pragma once
#include "ordo/strings/external_sort.hpp"
#include "strings/sort/text_job.hpp"

namespace ordo::inline v0::strings::detail {

/// Writes each distinct line of the texts once, as job.equal demands, if they are few: counts them in a hash table as they are
/// read, and sorts those. Lines that the table has no memory for are written to the disk and sorted there. Returns false, with
/// the first texts in job.host, if lines rarely repeat, if `job.equal` keeps all of them, or if the locale decides which are
/// equal.
bool sorted_counted(text_job& job, spill_options const& spill);

}  // namespace ordo::inline v0::strings::detail
