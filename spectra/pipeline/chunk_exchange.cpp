#include "spectra/pipeline/chunk_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace ordo::inline v0::spectra::detail {
namespace {

constexpr std::uint64_t max_round_bytes = std::uint64_t{64}
                                          << 20;  // bytes of input in a round, unless there are more members than chunks

/// The counts of a report, without its machine and phases.
auto counters(sort_report& all) {
  return std::array{&all.bytes,        &all.lines,      &all.spectra,           &all.peaks,   &all.reordered, &all.written,
                    &all.spectra_kept, &all.peaks_kept, &all.missing_precursor, &all.warnings};
}

}  // namespace

chunk_exchange::chunk_exchange(communicator& members, std::size_t chunk_bytes, std::size_t threads)
    : members_(members), chunk_bytes_(chunk_bytes) {
  members.broadcast(std::as_writable_bytes(std::span(&chunk_bytes_, 1)), 0);
  max_share_ = std::max<std::uint64_t>(1, max_round_bytes / chunk_bytes_ / members.size());
  min_share_ = std::min(max_share_, members.reduce(threads, reduction::max));
}

// Member 0 also takes the results of all and writes them, which takes about as long as a fifth of the work on them.
chunk_exchange::round chunk_exchange::round_at(std::uint64_t begin, std::uint64_t share) const noexcept {
  return {begin, 2 * share / (members_.size() + 1), share};
}

chunk_exchange::round chunk_exchange::find_round(std::uint64_t chunk) const noexcept {
  round round = round_at(0, min_share_);
  while (round.share != max_share_ && chunk - round.begin >= round_length(round))
    round = round_at(round.begin + round_length(round), std::min(2 * round.share, max_share_));
  round.begin += (chunk - round.begin) / round_length(round) * round_length(round);
  return round;
}

bool chunk_exchange::is_own(std::uint64_t chunk) const noexcept {
  round const in = find_round(chunk);
  std::uint64_t const k = chunk - in.begin;
  return members_.rank() == (k < in.of_first ? 0 : 1 + (k - in.of_first) / in.share);
}

// Sends the results of the others to member 0, if it goes on.
bool chunk_exchange::exchange(bool goes_on) {
  struct state {
    std::uint64_t bytes, goes_on;
  };
  is_cut_ = true;
  auto const states = members_.all_gather(state{own_.size(), goes_on});
  if (states[0].goes_on == 0) {
    is_cut_ = false;
    return false;
  }
  std::vector<std::span<std::byte const>> sends(members_.size());
  std::vector<std::span<std::byte>> receives(members_.size());
  if (is_first()) {
    std::uint64_t const total = std::accumulate(states.begin(), states.end(), std::uint64_t{0},
                                                [](std::uint64_t sum, state const& state) { return sum + state.bytes; });
    all_.resize(std::size_t(total));
    auto left = std::as_writable_bytes(all_.span());
    for (std::size_t m = 1; m < members_.size(); ++m) {
      receives[m] = left.first(std::size_t(states[m].bytes));
      left = left.subspan(receives[m].size());
    }
  } else {
    sends[0] = std::as_bytes(own_.span());
    sent_ += own_.size();
  }
  members_.all_to_all(sends, receives);
  own_.resize(0);
  is_cut_ = false;
  if (!is_first()) return true;
  received_.assign(std::size_t(round_length(last_)), {});
  for (std::size_t m = 1; m < members_.size(); ++m) {
    auto* at = receives[m].data();
    for (std::size_t k = std::size_t(last_.of_first + (m - 1) * last_.share); at != receives[m].data() + receives[m].size();
         ++k) {
      std::uint64_t size = 0;
      std::memcpy(&size, at, sizeof(size));
      at += sizeof(size);
      received_[k] = {reinterpret_cast<char const*>(at), std::size_t(size)};
      at += size;
    }
  }
  return true;
}

std::span<char const> chunk_exchange::receive_results(std::uint64_t chunk) {
  if (last_.share == 0 || chunk >= last_.begin + round_length(last_)) {
    last_ = find_round(chunk);
    exchange(true);
  }
  return received_[std::size_t(chunk - last_.begin)];
}

void chunk_exchange::end(sort_report const* counts) {
  if (is_cut_) return;
  exchange(false);
  sort_report all;
  if (counts) all = *counts;
  std::vector<std::uint64_t> values{counts != nullptr};
  for (std::uint64_t const* const count : counters(all)) values.push_back(*count);
  members_.broadcast(std::as_writable_bytes(std::span(values)), 0);
}

bool chunk_exchange::add(std::uint64_t chunk, std::span<char const> results) {
  if (ended_) return false;
  if (is_own(chunk)) {
    std::uint64_t const size = results.size();
    own_.append({reinterpret_cast<char const*>(&size), sizeof(size)});
    own_.append(results);
  }
  round const in = find_round(chunk);
  if (chunk + 1 == in.begin + round_length(in)) ended_ = !exchange(true);
  return !ended_;
}

void chunk_exchange::finish(sort_report& counts) {
  while (!ended_) ended_ = !exchange(true);
  auto const all = counters(counts);
  std::vector<std::uint64_t> values(1 + all.size());
  members_.broadcast(std::as_writable_bytes(std::span(values)), 0);
  if (values.front() == 0) throw member_lost("group: member 0 failed");
  for (std::size_t i = 0; i < all.size(); ++i) *all[i] = values[1 + i];
}

}  // namespace ordo::inline v0::spectra::detail
