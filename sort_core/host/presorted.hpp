#pragma once
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/threads.hpp"
#include "sort_core/host/records.hpp"

// Detection of input that is already in ascending or descending order. `code` gives the part of a key that is compared
// (small.hpp).
namespace ordo::inline v0::host_detail {

/// Returns true if wrong(keys[i - 1], keys[i]) is false everywhere in keys[0, n).
template <class K, class Wrong>
bool nowhere(K const* keys, std::size_t n, Wrong wrong) {
  // Keys that every vector unit supports are compared in steps. The first steps are short, because random keys fail early.
  constexpr bool by_steps = sizeof(K) <= 4 && std::is_arithmetic_v<K>;
  std::size_t i = 1;
  for (std::size_t step = 8; by_steps && i + step <= n; step = std::min<std::size_t>(2 * step, 1024)) {
    unsigned found = 0;
    for (std::size_t const end = i + step; i < end; ++i) found |= unsigned(wrong(keys[i - 1], keys[i]));
    if (found) return false;
  }
  for (; i < n; ++i)
    if (wrong(keys[i - 1], keys[i])) return false;
  return true;
}
/// Does the same on all threads.
template <class K, class Wrong>
bool nowhere_at_all(K const* keys, std::size_t n, Wrong wrong) {
  blocks const parts(n, 1 << 14);
  std::vector<unsigned char> right(parts.count);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    std::size_t const first = begin - (begin != 0);
    right[part] = nowhere(keys + first, end - first, wrong);
  });
  return std::find(right.begin(), right.end(), 0) == right.end();
}

template <class Code>
auto descends(Code const& code) {
  return [=](auto const& a, auto const& b) { return code.before(code(b), code(a)); };
}
template <class Code>
auto ascends(Code const& code) {
  return [=](auto const& a, auto const& b) { return code.before(code(a), code(b)); };
}

template <class K, class Code>
bool in_order(K const* keys, std::size_t n, Code const& code) {
  return nowhere(keys, n, descends(code));
}
template <class K, class Code>
bool everywhere_in_order(K const* keys, std::size_t n, Code const& code) {
  return nowhere_at_all(keys, n, descends(code));
}

/// Reverses all[0, n), which descends, but keeps the order of equal items.
template <class K, class V, class Code>
void turn_round(records<K, V> all, records<K, V> other, std::size_t n, Code const& code) {
  auto const begins = [&](std::size_t i) { return i == 0 || code.before(code(all.keys[i]), code(all.keys[i - 1])); };
  blocks const parts(n, 1 << 14);
  parts.run([&](std::size_t, std::size_t begin, std::size_t end) {
    while (begin != end && !begins(begin)) ++begin;
    while (begin < end) {  // the last group of a block may extend into the next
      std::size_t next = begin + 1;
      while (next != n && !begins(next)) ++next;
      for (std::size_t to = n - next; begin != next; ++begin, ++to) other.set(to, all.keys[begin], all.value(begin));
    }
  });
  parts.run([&](std::size_t, std::size_t begin, std::size_t end) { other.from(begin).copy_to(all.from(begin), end - begin); });
}

/// Sorts all[0, n) if it ascends or descends, else leaves it unchanged. `other` is scratch memory of the same size.
template <class K, class V, class Code>
bool sort_presorted(records<K, V> all, records<K, V> other, std::size_t n, Code const& code) {
  if (everywhere_in_order(all.keys, n, code)) return true;
  if (!nowhere_at_all(all.keys, n, ascends(code))) return false;
  turn_round(all, other, n, code);
  return true;
}

}  // namespace ordo::inline v0::host_detail
