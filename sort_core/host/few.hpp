#pragma once
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "ordo/radix_key.hpp"
#include "sort_core/host/records.hpp"
#include "sort_core/host/small.hpp"
#include "sort_core/host/vectorized.hpp"

// Stable sorting of a few hundred records by one thread.
namespace ordo::inline v0::host_detail {

/// Returns std::bit_width, also for wide keys.
template <class K>
unsigned width_in_bits(K bits) {
  if constexpr (std::same_as<K, wide_key>) {
    auto const high = std::uint64_t(bits >> 64);
    return unsigned(high != 0 ? 64 + std::bit_width(high) : std::bit_width(std::uint64_t(bits)));
  } else {
    return unsigned(std::bit_width(bits));
  }
}

/// Returns the number of zeros below the lowest one of `bits`, which is not 0.
template <class K>
unsigned zeros_below(K bits) {
  return width_in_bits(K(bits & -bits)) - 1;
}

/// True for records that vectors can sort by one word: a key, and after it a position.
template <class K, class V>
constexpr bool is_packed = unsigned_word<K> && !std::same_as<V, nothing> && sizeof(V) <= 16;
/// That word.
template <class K>
using packed_word = std::conditional_t<sizeof(K) <= 2, std::uint32_t, std::uint64_t>;
/// How many of these are sorted so: fewer are sorted faster by counting, and more by distribution.
constexpr std::size_t min_packed = 14, max_packed = 511;

/// Returns the maximum for the vectors of this processor; 0 without vectors. Partitions by vectors of less than 64 bytes take
/// longer than the distribution of evenly spread wide keys.
template <class K>
[[nodiscard]] std::size_t max_packed_here() noexcept {
  constexpr std::size_t of_64_bytes = 128;
  std::size_t const network = network_keys(sizeof(std::uint64_t));
  return network == 0 || (sizeof(K) > 4 && network < of_64_bytes) ? network : max_packed;
}

/// Returns true if sort_few takes n records.
template <class K, class V>
[[nodiscard]] bool are_few(std::size_t n) noexcept {
  if constexpr (is_packed<K, V>)
    if (n > small_limit) return n <= max_packed_here<K>();
  return n <= small_limit;
}

template <class K, class V, class Code>
void sort_few(records<K, V> from, records<K, V> to, std::size_t n, Code const& code);

/// Sorts codes with their positions after them, which makes the order stable, and then moves each record to its place. A word
/// has room for some bits of wide codes only: the highest ones in which codes differ. Records that share these are sorted
/// again.
template <class K, class V, class Code>
[[gnu::noinline]] void sort_packed(records<K, V> from, records<K, V> to, std::size_t n, Code const& code) {
  using word = packed_word<K>;
  constexpr unsigned word_bits = 64;
  room<word, max_packed> packed;
  room<K, max_packed> keys;
  room<V, max_packed> values;
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = from.keys[i];
    values[i] = from.values[i];
  }
  unsigned const places = unsigned(std::bit_width(n - 1));  // bits of a position
  word const place_mask = detail::bit_mask<word>({0, places});
  bool all = true;  // whether words hold all bits in which codes differ
  if constexpr (sizeof(K) < sizeof(std::uint64_t)) {
    for (std::size_t i = 0; i < n; ++i) packed[i] = word(word(code(keys[i])) << places | i);
  } else {
    K const first = code(keys[0]);
    K differing = 0;
    for (std::size_t i = 1; i < n; ++i) differing |= code(keys[i]) ^ first;
    if (differing == 0) {
      if (from.keys != to.keys) from.copy_to(to, n);
      return;
    }
    unsigned const end = width_in_bits(differing), room_for = word_bits - places, below = end > room_for ? end - room_for : 0;
    all = (differing & detail::bit_mask<K>({0, below})) == 0;
    for (std::size_t i = 0; i < n; ++i) packed[i] = std::uint64_t(code(keys[i]) >> below) << places | i;
  }
  sort_by_vectors(packed.data(), n, {}, {});
  for (std::size_t i = 0; i < n; ++i) {
    auto const place = std::size_t(packed[i] & place_mask);
    to.set(i, keys[place], values[place]);
  }
  if (all) return;
  for (std::size_t i = 0; i + 1 < n;) {
    std::size_t last = i + 1;
    while (last < n && packed[last] >> places == packed[i] >> places) ++last;
    if (last - i > 1) sort_few(to.from(i), to.from(i), last - i, code);
    i = last;
  }
}

/// Sorts from[0, n) stably by code(key) into `to`, which may be `from`.
/// @param n  a number for which are_few(n) is true
template <class K, class V, class Code>
void sort_few(records<K, V> from, records<K, V> to, std::size_t n, Code const& code) {
  if constexpr (is_packed<K, V>)
    if (n >= min_packed && network_keys(sizeof(std::uint64_t)) != 0) return sort_packed(from, to, n, code);
  sort_small(from, to, n, code);
}

}  // namespace ordo::inline v0::host_detail
