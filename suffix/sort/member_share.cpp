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

std::size_t request_moves::answered() const {
  return std::size_t(std::accumulate(out.receives.begin(), out.receives.end(), std::uint64_t{0}));
}

request_moves member_share::moves_of_requests(std::span<std::uint64_t const> begins, std::size_t request_bytes) {
  std::size_t const p = members.size(), rank = members.rank();
  request_moves moves;
  share_moves &out = moves.out, &back = moves.back;
  for (std::size_t m = 0; m < p; ++m) out.sends.push_back(begins[m + 1] - begins[m]);
  std::vector<std::uint64_t> all(p * p);
  members.all_gather(std::as_bytes(std::span(out.sends)), std::as_writable_bytes(std::span(all)));
  for (std::size_t m = 0; m < p; ++m) out.receives.push_back(all[m * p + rank]);
  out.send_begin.assign(begins.begin(), begins.end() - 1);
  out.receive_begin.resize(p);
  std::exclusive_scan(out.receives.begin(), out.receives.end(), out.receive_begin.begin(), std::uint64_t{0});
  back = {out.receive_begin, out.receives, out.send_begin, out.sends};
  for (std::size_t m = 0; m < p; ++m)
    if (m != rank) report.exchanged += (out.sends[m] + back.sends[m]) * request_bytes;
  return moves;
}

}  // namespace ordo::inline v0::suffix::detail
