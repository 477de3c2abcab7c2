#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/radix_key.hpp"

// Sorts of keys of any integer or floating-point type on a Backend, whose own sorts take unsigned keys. For algorithms above
// the core; users call the functions of sort.hpp.
namespace ordo::inline v0 {
namespace detail {

template <class K>
auto as_unsigned(std::span<K> keys) {
  return std::span(reinterpret_cast<typename radix_key<K>::type*>(keys.data()), keys.size());
}

}  // namespace detail

template <sort_order Order = sort_order::ascending, Backend B, Key K>
void sort_keys(B& backend, std::span<K> keys, bit_range bits = {}) {
  backend.radix_sort(detail::as_unsigned(keys), bits, radix_key<K, Order>::code);
}

template <sort_order Order = sort_order::ascending, Backend B, Key K, class V>
void sort_pairs(B& backend, std::span<K> keys, std::span<V> values, bit_range bits = {}) {
  backend.radix_sort(detail::as_unsigned(keys), values, bits, radix_key<K, Order>::code);
}

/// `values` may be empty.
template <sort_order Order = sort_order::ascending, Backend B, Key K, class V, class Offset>
void sort_segments(B& backend, std::span<K> keys, std::span<V> values, segment_list<Offset> segments,
                   std::span<std::uint8_t> heads = {}, bit_range bits = {}) {
  backend.segmented_sort(detail::as_unsigned(keys), values, segments, heads, bits, radix_key<K, Order>::code);
}

/// `values` may be empty. For stability see Backend.
template <sort_order Order = sort_order::ascending, Backend B, Key K, class V, class Offset>
void sort_arrays(B& backend, std::span<K> keys, std::span<V> values, segment_list<Offset> arrays) {
  backend.array_sort(detail::as_unsigned(keys), values, arrays, radix_key<K, Order>::code);
}

}  // namespace ordo::inline v0
