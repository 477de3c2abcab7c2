#pragma once
#include <bit>
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

template <Key K, order Order>
struct encode_at {
  typename radix_key<K, Order>::type* codes;
  ORDO_FN void operator()(std::size_t i) const { codes[i] = radix_key<K, Order>::encode(std::bit_cast<K>(codes[i])); }
};

template <Key K, order Order>
struct decode_at {
  typename radix_key<K, Order>::type* codes;
  ORDO_FN void operator()(std::size_t i) const {
    codes[i] = std::bit_cast<typename radix_key<K, Order>::type>(radix_key<K, Order>::decode(codes[i]));
  }
};

// Runs sort(codes) on the keys' order-preserving codes, in the keys' own memory.
template <order Order, Backend B, Key K, class Sort>
void with_codes(B& machine, std::span<K> keys, Sort sort) {
  auto const codes = codes_of(keys);
  if constexpr (radix_key<K, Order>::identity) {
    sort(codes);
  } else {
    machine.each(keys.size(), encode_at<K, Order>{codes.data()});
    sort(codes);
    machine.each(keys.size(), decode_at<K, Order>{codes.data()});
  }
}

}  // namespace detail

/// Sort keys of any integer or floating type in place, stably (order of floats: radix_key.hpp). `bits` counts in the
/// encoded key. The whole array is encoded, segments or not.
template <order Order = order::ascending, Backend B, Key K>
void sort_keys(B& machine, std::span<K> keys, bit_range bits = {}) {
  detail::with_codes<Order>(machine, keys, [&](auto codes) { machine.radix_sort(codes, bits); });
}

/// The same, values moving with their keys.
template <order Order = order::ascending, Backend B, Key K, class V>
void sort_pairs(B& machine, std::span<K> keys, std::span<V> values, bit_range bits = {}) {
  detail::with_codes<Order>(machine, keys, [&](auto codes) { machine.radix_sort(codes, values, bits); });
}

/// Every segment by itself; values may be empty.
template <order Order = order::ascending, Backend B, Key K, class V, class Offset>
void sort_segments(B& machine, std::span<K> keys, std::span<V> values, segment_list<Offset> segments,
                   std::span<std::uint8_t> heads = {}, bit_range bits = {}) {
  machine.segmented_sort(detail::codes_of(keys), values, segments, heads, bits, radix_key<K, Order>::code);
}

/// Every array by itself, where it lies, with O(arrays) extra memory; values may be empty. Stability: see Backend.
/// (The problem of Awan and Saeed, GPU-ArraySort.)
template <order Order = order::ascending, Backend B, Key K, class V, class Offset>
void sort_arrays(B& machine, std::span<K> keys, std::span<V> values, segment_list<Offset> arrays) {
  machine.array_sort(detail::codes_of(keys), values, arrays, radix_key<K, Order>::code);
}

}  // namespace ordo
