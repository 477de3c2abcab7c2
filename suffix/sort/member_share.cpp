#include "suffix/sort/member_share.hpp"

#include <numeric>
#include <utility>

namespace ordo::inline v0::suffix::detail {

sink* member_share::open_part(std::string_view array, std::vector<std::uint64_t> sizes) {
  sink* const whole = open_(array, std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}));
  return &parts_.emplace_back(members, std::move(sizes), whole).writer();
}

sinks member_share::open(std::uint64_t rows, extra_arrays extra, std::uint64_t ends) {
  auto const sizes = [&](std::uint64_t bytes, std::uint64_t before) {
    auto all = members.all_gather(rows);
    for (std::uint64_t& size : all) size *= bytes;
    all[0] += before;
    return all;
  };
  sinks to;
  to.entry_bytes = entry_bytes_;
  to.sa = open_part("sa", sizes(entry_bytes_, 0));
  if (extra.lcp) to.lcp = open_part("lcp", sizes(entry_bytes_, 0));
  if (extra.bwt) to.bwt = open_part("bwt", sizes(1, ends));
  return to;
}

void member_share::finish() {
  for (ordo::detail::output_part& part : parts_) part.finish();
}

}  // namespace ordo::inline v0::suffix::detail
