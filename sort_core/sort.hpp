#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/backend.hpp"
#include "sort_core/radix_key.hpp"

namespace ordo {
namespace detail {

template <class K>
auto codes_of(std::span<K> keys) {
  return std::span(reinterpret_cast<typename radix_key<K>::type*>(keys.data()), keys.size());
}

}  // namespace detail

/// Sort keys of any integer or floating type in place, stably (order of floats: radix_key.hpp). `bits` counts in the
/// encoded key.
template <order Order = order::ascending, Backend B, Key K>
void sort_keys(B& machine, std::span<K> keys, bit_range bits = {}) {
  machine.radix_sort(detail::codes_of(keys), bits, radix_key<K, Order>::code);
}

/// The same, values moving with their keys.
template <order Order = order::ascending, Backend B, Key K, class V>
void sort_pairs(B& machine, std::span<K> keys, std::span<V> values, bit_range bits = {}) {
  machine.radix_sort(detail::codes_of(keys), values, bits, radix_key<K, Order>::code);
}

/// Every segment by itself; values may be empty.
template <order Order = order::ascending, Backend B, Key K, class V, class Offset>
void sort_segments(B& machine, std::span<K> keys, std::span<V> values, segment_list<Offset> segments,
                   std::span<std::uint8_t> heads = {}, bit_range bits = {}) {
  machine.segmented_sort(detail::codes_of(keys), values, segments, heads, bits, radix_key<K, Order>::code);
}

/// Every array by itself, where it lies, with O(arrays) extra memory; values may be empty. Stable up to array_sort_stable
/// items; beyond, the order of equal keys' values depends on the machine, see Backend. (The problem of Awan and Saeed,
/// GPU-ArraySort.)
template <order Order = order::ascending, Backend B, Key K, class V, class Offset>
void sort_arrays(B& machine, std::span<K> keys, std::span<V> values, segment_list<Offset> arrays) {
  machine.array_sort(detail::codes_of(keys), values, arrays, radix_key<K, Order>::code);
}

}  // namespace ordo
