#include "suffix/sort/requests.hpp"

#include <numeric>

namespace ordo::inline v0::suffix::detail {

request_moves::request_moves(communicator& members, std::span<std::uint64_t const> begins) {
  std::size_t const p = members.size(), rank = members.rank();
  for (std::size_t m = 0; m < p; ++m) out.sends.push_back(begins[m + 1] - begins[m]);
  std::vector<std::uint64_t> all(p * p);
  members.all_gather(std::as_bytes(std::span(out.sends)), std::as_writable_bytes(std::span(all)));
  for (std::size_t m = 0; m < p; ++m) out.receives.push_back(all[m * p + rank]);
  out.send_begin.assign(begins.begin(), begins.end() - 1);
  out.receive_begin.resize(p);
  std::exclusive_scan(out.receives.begin(), out.receives.end(), out.receive_begin.begin(), std::uint64_t{0});
  back = {out.receive_begin, out.receives, out.send_begin, out.sends};
  for (std::size_t m = 0; m < p; ++m) {
    answered += std::size_t(out.receives[m]);
    if (m == rank) continue;
    sent_out += out.sends[m];
    sent_back += back.sends[m];
  }
}

}  // namespace ordo::inline v0::suffix::detail
