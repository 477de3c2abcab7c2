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

// Runs sort(codes) on the keys' order-preserving codes, in the keys' own memory.
template <order Order, Backend B, Key K, class Sort>
void with_codes(B& machine, std::span<K> keys, Sort sort) {
  using code = radix_key<K, Order>;
  auto const codes = codes_of(keys);
  if constexpr (code::identity) {
    sort(codes);
  } else {
    auto* const c = codes.data();
    machine.each(keys.size(), [=] ORDO_FN(std::size_t i) { c[i] = code::encode(std::bit_cast<K>(c[i])); });
    sort(codes);
    machine.each(keys.size(), [=] ORDO_FN(std::size_t i) { c[i] = std::bit_cast<typename code::type>(code::decode(c[i])); });
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
  detail::with_codes<Order>(machine, keys, [&](auto codes) { machine.segmented_sort(codes, values, segments, heads, bits); });
}

}  // namespace ordo
