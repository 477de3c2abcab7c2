#include "ordo/suffix/records.hpp"

namespace ordo::suffix {

record_finder::record_finder(text const& input) : starts_(input.starts.data()), records_(input.records()) {
  if (records_ == 1) return;
  std::size_t const n = input.size();
  while ((n >> shift_) > 2 * records_) ++shift_;
  first_.resize((n >> shift_) + 2);
  std::size_t record = 0;
  for (std::size_t bucket = 0; bucket < first_.size(); ++bucket) {
    while (record + 1 < records_ && starts_[record + 1] <= std::uint64_t(bucket) << shift_) ++record;
    first_[bucket] = record;
  }
}

}  // namespace ordo::suffix
