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

template <class Index>
void rank_requests<Index>::exchange(std::span<Index const> from, std::span<std::uint64_t const> sends, std::span<Index> to,
                                    std::span<std::uint64_t const> receives) {
  std::vector<std::span<std::byte const>> out;
  std::vector<std::span<std::byte>> in;
  for (std::size_t m = 0; m < sends.size(); ++m) {
    out.push_back(std::as_bytes(from.first(sends[m])));
    in.push_back(std::as_writable_bytes(to.first(receives[m])));
    from = from.subspan(sends[m]);
    to = to.subspan(receives[m]);
    if (m != share_.members.rank()) share_.report.exchanged += out.back().size();
  }
  share_.members.all_to_all(out, in);
}

template <class Index>
std::span<Index const> rank_requests<Index>::send(std::span<Index const> positions, std::span<Index const> owners) {
  group& members = share_.members;
  std::size_t const p = members.size();
  asked_.assign(p, 0);
  for (Index const owner : owners)
    if (owner < p) ++asked_[owner];
  std::vector<std::uint64_t> at(p);
  std::exclusive_scan(asked_.begin(), asked_.end(), at.begin(), std::uint64_t{0});
  outgoing_.resize(at.back() + asked_.back());
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i] < p) outgoing_[at[owners[i]]++] = positions[i];
  std::vector<std::uint64_t> all(p * p);
  members.all_gather(std::as_bytes(std::span(asked_)), std::as_writable_bytes(std::span(all)));
  asks_.resize(p);
  for (std::size_t m = 0; m < p; ++m) asks_[m] = all[m * p + members.rank()];
  incoming_.resize(std::accumulate(asks_.begin(), asks_.end(), std::uint64_t{0}));
  exchange(outgoing_, asked_, incoming_, asks_);
  return incoming_;
}

template <class Index>
void rank_requests<Index>::answer(std::span<Index const> ranks, std::span<Index> positions, std::span<Index const> owners) {
  exchange(ranks, asks_, outgoing_, asked_);
  std::vector<std::uint64_t> at(asked_.size());
  std::exclusive_scan(asked_.begin(), asked_.end(), at.begin(), std::uint64_t{0});
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (owners[i] < at.size()) positions[i] = outgoing_[at[owners[i]]++];
}

template class rank_requests<std::uint16_t>;  // for tests
template class rank_requests<std::uint32_t>;
template class rank_requests<std::uint64_t>;

}  // namespace ordo::inline v0::suffix::detail
