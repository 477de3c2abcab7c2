#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/threads.hpp"
#include "sort_core/host/records.hpp"
#include "sort_core/host/small.hpp"
#include "sort_core/host/vector_selection.hpp"
#include "sort_core/host/vectorized.hpp"

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
    unsigned result = 0;
    for (std::size_t const end = i + step; i < end; ++i) result |= unsigned(wrong(keys[i - 1], keys[i]));
    if (result) return false;
  }
  for (; i < n; ++i)
    if (wrong(keys[i - 1], keys[i])) return false;
  return true;
}
/// Returns true if right(begin, end) holds for every block of [0, n), each with the last item of the block before. Uses all
/// threads.
/// @param of_one_thread  the maximum of items that the calling thread tests alone, because waking others takes longer
template <class Right>
bool right_everywhere(std::size_t n, std::size_t of_one_thread, Right right) {
  blocks const parts(n, 1 << 14);
  if (parts.count == 1 || n <= of_one_thread) return right(0, n);
  std::vector<unsigned char> results(parts.count);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) { results[part] = right(begin - (begin != 0), end); });
  return std::find(results.begin(), results.end(), 0) == results.end();
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
  if constexpr (for_vectors<K, nothing>) {
    auto const by_vectors = [&](key_code<K> of) {  // random keys fail early
      return ascend_one_by_one(keys, std::min<std::size_t>(n, 8), of) && ascend_by_vectors(keys, n, of);
    };
    if constexpr (std::same_as<Code, whole<K, smaller>>) return by_vectors({});
    if constexpr (std::same_as<Code, encoded<K>>)
      if (code.mask == K(~K{0})) return by_vectors(code.code);
  }
  return nowhere(keys, n, descends(code));
}
/// Returns the same, and uses all threads.
template <class K, class Code>
bool everywhere_in_order(K const* keys, std::size_t n, Code const& code) {
  constexpr std::size_t of_one_thread = for_vectors<K, nothing> ? (std::size_t{1} << 19) / sizeof(K) : 0;
  return right_everywhere(n, of_one_thread,
                          [&](std::size_t begin, std::size_t end) { return in_order(keys + begin, end - begin, code); });
}

/// Writes from[0, n), which descends, in reverse to another array `to`, but keeps the order of equal items.
template <class K, class V, class Code>
void turn_round(records<K, V> from, records<K, V> to, std::size_t n, Code const& code) {
  auto const begins = [&](std::size_t i) { return i == 0 || code.before(code(from.keys[i]), code(from.keys[i - 1])); };
  blocks const parts(n, 1 << 14);
  // Where the first group of each block begins. Found once, so that groups divide the items whatever a comparison answers.
  std::vector<std::size_t> first(parts.count + 1, n);
  parts.run([&](std::size_t part, std::size_t begin, std::size_t end) {
    while (begin != end && !begins(begin)) ++begin;
    if (begin != end) first[part] = begin;
  });
  for (std::size_t part = parts.count; part-- != 0;)
    if (first[part] == n) first[part] = first[part + 1];
  parts.run([&](std::size_t part, std::size_t, std::size_t) {
    for (std::size_t begin = first[part], end = first[part + 1]; begin < end;) {  // the last group may extend into other blocks
      std::size_t next = begin + 1;
      while (next != end && !begins(next)) ++next;
      for (std::size_t i = n - next; begin != next; ++begin, ++i) to.set(i, from.keys[begin], from.value(begin));
    }
  });
}

/// Copies n items on all threads.
template <class K, class V>
void copy_all(records<K, V> from, records<K, V> to, std::size_t n) {
  blocks(n, 1 << 14).run(
      [&](std::size_t, std::size_t begin, std::size_t end) { from.from(begin).copy_to(to.from(begin), end - begin); });
}

/// Sorts from[0, n) into `to`, which may be `from`, if it ascends or descends. Otherwise it writes nothing and returns false.
/// `other` is scratch memory of the same size.
template <class K, class V, class Code>
bool sort_presorted(records<K, V> from, records<K, V> to, records<K, V> other, std::size_t n, Code const& code) {
  bool const in_place = from.keys == to.keys;
  if (everywhere_in_order(from.keys, n, code)) {
    if (!in_place) copy_all(from, to, n);
    return true;
  }
  bool const falls = right_everywhere(n, 0, [&](std::size_t begin, std::size_t end) {
    return nowhere(from.keys + begin, end - begin, ascends(code));
  });
  if (!falls) return false;
  turn_round(from, in_place ? other : to, n, code);
  if (in_place) copy_all(other, to, n);
  return true;
}

}  // namespace ordo::inline v0::host_detail
