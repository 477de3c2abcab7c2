#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ordo/distributed_sort.hpp"
#include "tests/unit/distributed/apart.hpp"
#include "tests/unit/distributed/distributed_checks.hpp"
#include "tests/unit/inputs.hpp"

// What distributed sorts send to other members: each item once at most, and nothing that need not move.
namespace distributed_checks {

/// A share with guards around it, in the host's memory.
template <class T>
class guarded_share {
 public:
  explicit guarded_share(std::vector<T> const& items) : items_(items) {
    items_.insert(items_.begin(), guards, guard());
    items_.insert(items_.end(), guards, guard());
  }
  [[nodiscard]] std::span<T> span() { return std::span(items_).subspan(guards, items_.size() - 2 * guards); }
  [[nodiscard]] bool is(std::vector<T> const& expected) {
    return std::ranges::equal(span(), expected) &&
           std::all_of(items_.begin(), items_.begin() + guards, [](T x) { return x == guard(); }) &&
           std::all_of(items_.end() - guards, items_.end(), [](T x) { return x == guard(); });
  }

 private:
  static constexpr std::ptrdiff_t guards = 16;
  static T guard() { return T(0xa5a5a5a5a5a5a5a5u); }
  std::vector<T> items_;
};

/// Keys of all members.
struct shape {
  std::string name;
  std::vector<std::uint64_t> keys;
  bool few = false;  // so few keys that each has a bucket
};
inline std::vector<shape> shapes(std::size_t n) {
  random_numbers random(n);
  auto const make = [&](auto f) {
    std::vector<std::uint64_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = f(i);
    return keys;
  };
  std::uint64_t const step = ~std::uint64_t{0} / (n + 1);
  std::vector<shape> all;
  all.push_back({"random", make([&](std::size_t) { return random(); })});
  all.push_back({"sorted", make([&](std::size_t i) { return i * step; })});
  all.push_back({"reversed", make([&](std::size_t i) { return (n - i) * step; })});
  all.push_back({"equal", make([&](std::size_t) { return 7; })});
  all.push_back({"few", make([&](std::size_t) { return random.below(8); }), true});
  all.push_back({"few, far apart", make([&](std::size_t) { return std::uint64_t(random.below(4)) << 62; }), true});
  all.push_back({"few, skewed", make([&](std::size_t) { return random.below(9) == 0 ? random.below(5) : 3; }), true});
  all.push_back({"equal, and a stranger", make([&](std::size_t i) { return i == n / 3 ? 1 : std::uint64_t{1} << 63; }), true});
  all.push_back({"few, and a stranger", make([&](std::size_t i) {
                   return i == n / 2 ? std::uint64_t{1} << 32 : std::uint64_t(random.below(4)) << 62;
                 })});
  all.push_back({"nearly sorted", make([&](std::size_t i) { return (i == n / 2 ? 0 : i) * step; })});
  all.push_back({"sorted in pieces", make([&](std::size_t i) { return i % (n / 3 + 1) * step; })});
  return all;
}

/// Returns the lengths of shares of n items: even ones, all items in one share, some empty ones, and others.
inline std::vector<std::vector<std::size_t>> lists_of_ends(std::size_t n, std::size_t members) {
  std::vector<std::size_t> even, first(members, n), last(members, 0);
  last.back() = n;
  for (std::size_t m = 0; m < members; ++m) even.push_back(ordo::even_offset(n, members, m) + ordo::even_share(n, members, m));
  return {even, first, last, share_ends(n, members, n + 1), share_ends(n, members, n + 2)};
}

/// Returns what is wrong with the sorts of one shape and with what crossed, on this member.
/// @tparam Share  guarded_share, or one in the memory of the machine
template <template <class> class Share, class K>
std::string wrong_exchange(apart& members, ordo::machine& on, shape const& given, std::vector<std::size_t> const& ends,
                           std::vector<std::size_t> const& out_ends) {
  std::size_t const n = given.keys.size(), rank = members.rank();
  std::vector<K> keys(n), sorted(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = K(given.keys[i] >> (64 - 8 * sizeof(K)));
  if (given.few || given.name == "equal")
    std::ranges::transform(given.keys, keys.begin(), [](auto x) { return K(x ^ x >> 32); });
  std::vector<std::uint32_t> positions(n), order(n);
  std::iota(positions.begin(), positions.end(), 0u);
  order = positions;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::ranges::transform(order, sorted.begin(), [&](auto i) { return keys[i]; });
  auto const member_at = [](std::vector<std::size_t> const& share_ends, std::size_t i) {
    return std::upper_bound(share_ends.begin(), share_ends.end(), i) - share_ends.begin();
  };
  std::uint64_t moving = 0;  // items that are in another member's output
  for (std::size_t i = 0; i < n; ++i) moving += member_at(ends, order[i]) != member_at(out_ends, i);

  std::string wrong;
  auto const check = [&](std::string const& name, bool right) {
    if (!right) wrong += " " + name;
  };
  // Keys that are in order cross as they are. Of few keys no key crosses, if there is a bucket for each. Of others all do that
  // have no bucket to themselves.
  bool const divides = n * sizeof(K) / members.size() / members.long_message() >= 2 * members.size();
  bool const in_order = std::is_sorted(keys.begin(), keys.end());
  auto const crosses = [&](std::string const& name, std::size_t value_bytes) {
    std::uint64_t const crossed = members.crossed(), all = moving * (sizeof(K) + value_bytes), values = moving * value_bytes;
    bool const is_right = in_order || !divides ? crossed == all
                          : given.few          ? crossed == values
                                               : values <= crossed && crossed <= all;
    check(name + " sends " + std::to_string(crossed) + " bytes for " + std::to_string(moving) + " items", is_right);
  };
  auto const mine = share_of(keys, ends, rank);
  auto const mine_positions = share_of(positions, ends, rank);
  Share<K> own_keys(mine), out(std::vector<K>(share_of(keys, out_ends, rank).size()));
  Share<std::uint32_t> own_values(mine_positions), out_values(share_of(order, out_ends, rank));
  members.crossed();
  ordo::sort_keys(members, on, own_keys.span(), out.span());
  check("keys", out.is(share_of(sorted, out_ends, rank)) && own_keys.is(mine));
  crosses("keys", 0);
  ordo::sort_pairs(members, on, own_keys.span(), out.span(), own_values.span(), out_values.span());
  check("pairs", out.is(share_of(sorted, out_ends, rank)) && out_values.is(share_of(order, out_ends, rank)));
  check("inputs", own_keys.is(mine) && own_values.is(mine_positions));
  crosses("pairs", 4);
  if (ends != out_ends) return wrong;
  ordo::sort_pairs(members, on, own_keys.span(), own_values.span());
  check("pairs in place", own_keys.is(share_of(sorted, ends, rank)) && own_values.is(share_of(order, ends, rank)));
  crosses("pairs in place", 4);
  return wrong;
}

/// Calls f(name, wrong) for every shape, with even shares and with others.
template <template <class> class Share, class F>
void for_all_exchanges(apart& members, ordo::machine& on, std::size_t n, F f) {
  auto const lists = lists_of_ends(n, members.size());
  std::size_t i = 0;
  for (shape const& given : shapes(n)) {
    auto const &some = lists[i % lists.size()], &others = lists[++i % lists.size()];
    f(given.name, wrong_exchange<Share, std::uint64_t>(members, on, given, lists[0], lists[0]));
    f(given.name + ", shares of any lengths", wrong_exchange<Share, std::uint32_t>(members, on, given, some, some));
    f(given.name + ", other outputs", wrong_exchange<Share, std::uint32_t>(members, on, given, some, others));
  }
}

}  // namespace distributed_checks
