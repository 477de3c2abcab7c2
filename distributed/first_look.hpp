#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "distributed/parts.hpp"

// A sample of every share, which a distributed sort examines first: are the shares in order, and are there few keys?
namespace ordo::inline v0::detail {

/// A key's code, and the number of keys for which it stands.
template <class K>
struct code_sample {
  K code;
  double weight;
};

/// The result of the sample. All members have the same one.
template <class K>
struct first_look {
  bool in_order = false;  // no key comes before the one in front of it, in a share or from share to share
  std::vector<code_sample<K>> samples;
};

/// Returns 1 for a key that comes before the one in front of it.
template <class K>
struct comes_too_late {
  code_at<K> code;
  K mask;
  ORDO_FN std::uint64_t operator()(std::size_t i) const { return K(code(i + 1) & mask) < K(code(i) & mask); }
};
struct bitwise_or {
  ORDO_FN std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a | b; }
};

/// Reads evenly spaced keys of each share. A share in which they are in order is read once, to find whether all keys are.
/// Collective, in one message of each member.
/// @param samples_wanted  how many samples of each share to return; 0 asks for the order alone
template <Backend B, class K>
first_look<K> look_at_shares(communicator& members, B& backend, sort_task const& task, code_less<K> const& less,
                             share_lengths const& lengths, std::size_t samples_wanted) {
  std::size_t const n = task.keys_in_given;
  std::span const keys(static_cast<K const*>(task.keys_in), n);
  auto const count = [&](std::size_t m, std::size_t most) { return std::size_t(std::min<std::uint64_t>(lengths.in[m], most)); };
  std::size_t const looked_at = count(members.rank(), std::max<std::size_t>(samples_wanted, 64));
  std::vector<std::uint64_t> positions;
  for (std::size_t i = 0; i < looked_at; ++i) positions.push_back(n / looked_at * i + n % looked_at * i / looked_at);
  if (n != 0) positions.push_back(n - 1);
  std::vector<K> codes(positions.size());
  share_fetcher<B, K>{backend, keys}(positions, std::span(codes));
  for (K& code : codes) code = less.encode(code);

  // A member sends whether its share is in order, its last code, its first code, and then the other samples.
  std::size_t const sent = 2 + std::max<std::size_t>(samples_wanted, 1);
  std::vector<std::uint64_t> own(sent), all(sent * members.size());
  own[0] = std::is_sorted(codes.begin(), codes.end());
  if (own[0] != 0 && n > positions.size()) {
    comes_too_late<K> const too_late{less.code_in(keys.data()), less.mask};
    own[0] = backend.reduce(n - 1, too_late, std::uint64_t{0}, bitwise_or{}) == 0;
  }
  if (n != 0) own[1] = codes.back();
  std::copy_n(codes.begin(), count(members.rank(), sent - 2), own.begin() + 2);
  members.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));

  first_look<K> look{true, {}};
  std::uint64_t before = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (lengths.in[m] == 0) continue;
    auto const of_member = std::span(all).subspan(m * sent, sent);
    look.in_order &= of_member[0] != 0 && before <= of_member[2];
    before = of_member[1];
    std::size_t const samples = count(m, samples_wanted);
    for (std::size_t i = 0; i < samples; ++i)
      look.samples.push_back({K(of_member[2 + i]), double(lengths.in[m]) / double(samples)});
  }
  return look;
}

}  // namespace ordo::inline v0::detail
