#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ordo/cpu_backend.hpp"
#include "ordo/distributed_sort.hpp"
#include "tests/unit/inputs.hpp"

// Distributed sorts against a plain stable sort of the whole array, for communicators of threads and of processes.
namespace distributed_checks {

/// Cuts n items into shares of any lengths, some of them empty. The same on all members.
inline std::vector<std::size_t> share_ends(std::size_t n, std::size_t members, std::uint64_t seed) {
  random_numbers random(seed);
  std::vector<std::size_t> ends(members, n);
  for (std::size_t m = 0; m + 1 < members; ++m) ends[m] = random.below(3) == 0 ? n / 2 : random.below(n + 1);
  std::sort(ends.begin(), ends.end());
  return ends;
}

template <class T>
std::vector<T> share_of(std::vector<T> const& all, std::vector<std::size_t> const& ends, std::size_t rank) {
  std::size_t const begin = rank == 0 ? 0 : ends[rank - 1];
  return {all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(ends[rank])};
}

template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// A value of a width that no sort moves with its keys.
struct odd_value {
  std::uint8_t bytes[12];
};
template <class V>
V value_of(std::size_t i) {
  V value{};
  std::memcpy(&value, &i, std::min(sizeof(V), sizeof(i)));
  return value;
}

struct less_by_tens {
  ORDO_FN bool operator()(std::uint64_t a, std::uint64_t b) const { return a / 10 < b / 10; }
};

/// Returns the names of the sorts that this member found wrong.
/// @param shares  any number, from which the lengths of the shares are made
template <class K, class V, ordo::sort_order Order = ordo::sort_order::ascending>
std::string wrong_sorts(ordo::communicator& members, ordo::machine& on, std::vector<K> const& keys, std::uint64_t shares,
                        ordo::bit_range bits = {}, ordo::key_order order = {}) {
  std::size_t const n = keys.size(), rank = members.rank();
  auto const ends = share_ends(n, members.size(), shares), out_ends = share_ends(n, members.size(), shares + 1);
  std::vector<V> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = value_of<V>(i);
  // One machine's sorts of the whole are tested elsewhere.
  ordo::cpu one({.threads = 1});
  auto sorted = keys;
  auto sorted_values = values;
  ordo::sort_pairs<Order>(one, sorted, sorted_values, bits, order);
  auto sorted_keys = keys;
  ordo::sort_keys<Order>(one, sorted_keys, bits, order);
  std::vector<std::uint32_t> sorted_index(n);
  ordo::argsort<Order>(one, keys, sorted_index, bits, order);

  std::string wrong;
  auto const check = [&](char const* name, bool right) {
    if (!right) wrong += std::string(" ") + name;
  };
  auto const mine = share_of(keys, ends, rank);
  auto const mine_values = share_of(values, ends, rank);
  auto share = mine;
  ordo::sort_keys<Order>(members, on, share, bits, order);
  check("sort_keys", same_bytes(share, share_of(sorted_keys, ends, rank)));

  share = mine;
  auto share_values = mine_values;
  ordo::sort_pairs<Order>(members, on, share, share_values, bits, order);
  check("sort_pairs", same_bytes(share, share_of(sorted, ends, rank)));
  check("values", same_bytes(share_values, share_of(sorted_values, ends, rank)));

  auto out = share_of(keys, out_ends, rank);
  auto out_values = share_of(values, out_ends, rank);
  ordo::sort_pairs<Order>(members, on, mine, out, mine_values, out_values, bits, order);
  check("sort_pairs to other shares", same_bytes(out, share_of(sorted, out_ends, rank)));
  check("values in other shares", same_bytes(out_values, share_of(sorted_values, out_ends, rank)));
  check("the input", same_bytes(mine, share_of(keys, ends, rank)));

  std::vector<std::uint32_t> index(out.size());
  ordo::argsort<Order>(members, on, mine, index, bits, order);
  check("argsort", same_bytes(index, share_of(sorted_index, out_ends, rank)));
  std::vector<std::int64_t> long_index(out.size());
  ordo::argsort<Order>(members, on, mine, long_index, bits, order);
  check("argsort of 64 bits", std::equal(index.begin(), index.end(), long_index.begin()));
  return wrong;
}

/// Returns what sample sorts got wrong.
inline std::string wrong_sample_sorts(ordo::communicator& members, ordo::cpu& on, std::vector<std::uint64_t> const& items,
                                      std::uint64_t shares) {
  std::size_t const n = items.size(), rank = members.rank();
  auto const ends = share_ends(n, members.size(), shares);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return less_by_tens{}(items[a], items[b]); });
  std::vector<std::uint64_t> sorted(n);
  std::transform(order.begin(), order.end(), sorted.begin(), [&](auto i) { return items[i]; });

  std::string wrong;
  auto share = share_of(items, ends, rank);
  ordo::sample_sort(members, on, std::span(share), less_by_tens{});
  if (share != share_of(sorted, ends, rank)) wrong += " sample_sort";
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 0u);
  share = share_of(items, ends, rank);
  auto share_values = share_of(values, ends, rank);
  ordo::sample_sort(members, on, std::span(share), std::span(share_values), less_by_tens{});
  if (share != share_of(sorted, ends, rank) || share_values != share_of(order, ends, rank)) wrong += " sample_sort of pairs";
  return wrong;
}

/// Calls f(name, wrong) for every case: types, orders, ranges of bits and shapes of the keys. Or for each `step`-th.
template <class F>
void for_all_cases(ordo::communicator& members, ordo::cpu& on, std::size_t n, std::uint64_t seed, std::size_t step, F f) {
  using enum ordo::sort_order;
  auto const with = [&]<class K>(K, auto sorts) {
    for (auto const& [name, keys] : all_inputs<K>(n))
      if (++seed % step == 0) f(name, sorts(keys, seed));
  };
  with(std::uint32_t{},
       [&](auto const& keys, auto s) { return wrong_sorts<std::uint32_t, std::uint32_t>(members, on, keys, s); });
  with(std::uint64_t{},
       [&](auto const& keys, auto s) { return wrong_sorts<std::uint64_t, odd_value, descending>(members, on, keys, s); });
  with(std::int8_t{}, [&](auto const& keys, auto s) { return wrong_sorts<std::int8_t, std::uint64_t>(members, on, keys, s); });
  with(std::uint16_t{}, [&](auto const& keys, auto s) {
    return wrong_sorts<std::uint16_t, std::uint8_t>(members, on, keys, s, {3, 11});
  });
  with(float{}, [&](auto const& keys, auto s) {
    return wrong_sorts<float, std::array<std::uint64_t, 2>>(members, on, keys, s, {}, {.nans = ordo::nan_order::last});
  });
  with(double{}, [&](auto const& keys, auto s) {
    return wrong_sorts<double, std::uint32_t, descending>(members, on, keys, s, {},
                                                          {.nans = ordo::nan_order::last, .zeros = ordo::zeros::equal});
  });
  with(std::uint64_t{}, [&](auto const& keys, auto s) { return wrong_sample_sorts(members, on, keys, s); });
}

}  // namespace distributed_checks
