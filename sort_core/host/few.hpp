#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "sort_core/host/records.hpp"
#include "sort_core/host/small.hpp"
#include "sort_core/host/vectorized.hpp"

// Stable sorting of a few hundred records by one thread.
namespace ordo::inline v0::host_detail {

/// True for records that vectors can sort by one word: a key, and behind it a position.
template <class K, class V>
constexpr bool is_packed = std::same_as<K, std::uint32_t> && !std::same_as<V, nothing> && sizeof(V) <= 16;
/// How many of these are sorted so: fewer are sorted faster by counting, and more by distribution.
constexpr std::size_t min_packed = 14, max_packed = 511;

/// Returns whether sort_few takes n records.
template <class K, class V>
[[nodiscard]] bool are_few(std::size_t n) noexcept {
  if constexpr (is_packed<K, V>)
    if (n > small_limit) return n <= max_packed && network_keys(sizeof(std::uint64_t)) != 0;
  return n <= small_limit;
}

/// Sorts codes with their positions behind them, which makes the order stable, and then moves each record to its place.
template <class K, class V, class Code>
[[gnu::noinline]] void sort_packed(records<K, V> from, records<K, V> to, std::size_t n, Code const& code) {
  room<std::uint64_t, max_packed> packed;
  room<K, max_packed> keys;
  room<V, max_packed> values;
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = from.keys[i];
    values[i] = from.values[i];
    packed[i] = std::uint64_t(code(keys[i])) << 32 | i;
  }
  sort_by_vectors(packed.data(), n, {}, {});
  for (std::size_t i = 0; i < n; ++i) {
    auto const place = std::size_t(std::uint32_t(packed[i]));
    to.set(i, keys[place], values[place]);
  }
}

/// Sorts from[0, n) stably by code(key) into `to`, which may be `from`.
/// @param n  of which are_few(n) is true
template <class K, class V, class Code>
void sort_few(records<K, V> from, records<K, V> to, std::size_t n, Code const& code) {
  if constexpr (is_packed<K, V>)
    if (n >= min_packed && network_keys(sizeof(std::uint64_t)) != 0) return sort_packed(from, to, n, code);
  sort_small(from, to, n, code);
}

}  // namespace ordo::inline v0::host_detail
