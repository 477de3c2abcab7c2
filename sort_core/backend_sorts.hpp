#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/radix_key.hpp"

// Keys of any integer or floating type on a Backend, whose sorts take unsigned ones. For algorithms above the waist; what users
// call is sort.hpp's.
namespace ordo {
namespace detail {

template <class K>
auto as_unsigned(std::span<K> keys) {
  return std::span(reinterpret_cast<typename radix_key<K>::type*>(keys.data()), keys.size());
}

}  // namespace detail

template <sort_order Order = sort_order::ascending, Backend B, Key K>
void sort_keys(B& machine, std::span<K> keys, bit_range bits = {}) {
  machine.radix_sort(detail::as_unsigned(keys), bits, radix_key<K, Order>::code);
}

template <sort_order Order = sort_order::ascending, Backend B, Key K, class V>
void sort_pairs(B& machine, std::span<K> keys, std::span<V> values, bit_range bits = {}) {
  machine.radix_sort(detail::as_unsigned(keys), values, bits, radix_key<K, Order>::code);
}

/// Values may be empty.
template <sort_order Order = sort_order::ascending, Backend B, Key K, class V, class Offset>
void sort_segments(B& machine, std::span<K> keys, std::span<V> values, segment_list<Offset> segments,
                   std::span<std::uint8_t> heads = {}, bit_range bits = {}) {
  machine.segmented_sort(detail::as_unsigned(keys), values, segments, heads, bits, radix_key<K, Order>::code);
}

/// Values may be empty. Stability: see Backend.
template <sort_order Order = sort_order::ascending, Backend B, Key K, class V, class Offset>
void sort_arrays(B& machine, std::span<K> keys, std::span<V> values, segment_list<Offset> arrays) {
  machine.array_sort(detail::as_unsigned(keys), values, arrays, radix_key<K, Order>::code);
}

}  // namespace ordo
