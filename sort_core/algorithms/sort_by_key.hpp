#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ordo/backend.hpp"
#include "ordo/memory.hpp"

// Segmented sort by computed keys for algorithms over a Backend: by segmented_sort_by, or with keys that are computed first.
namespace ordo::inline v0 {

/// True if it pays to compute and store the keys first. Where a sort by computed keys is a set of kernels per type of key,
/// programs are large and take long to compile; the sorts of stored keys are compiled once.
template <class B>
constexpr bool writes_keys = requires {
  B::compiles_sorts_by_key;
};

namespace detail {

// Named functors, not lambdas: see refinement.hpp.

struct always {
  ORDO_FN bool operator()(std::size_t) const { return true; }
};

template <class Item, class K, class Key, class Wanted>
struct write_key {
  Item const* items;
  Key key;
  Wanted wanted;
  K mask;
  K* keys;
  ORDO_FN void operator()(std::size_t i) const {
    keys[i] = wanted(i) ? K(key(items[i]) & mask) : K{0};  // kernels may read the zeros, but do not use them
  }
};

}  // namespace detail

/// Sorts each segment of items by key(item), as segmented_sort_by does. `key` may be evaluated for every item i with wanted(i),
/// even outside segments.
template <Backend B, class Item, class Offset, class Key, class Wanted = detail::always>
void sort_by_key(B& backend, std::span<Item> items, segment_list<Offset> const& segments, Key key,
                 std::span<std::uint8_t> heads = {}, bit_range bits = {}, Wanted wanted = {}) {
  if constexpr (writes_keys<B>) {
    using K = std::remove_cvref_t<std::invoke_result_t<Key, Item>>;
    auto const keys = backend.template buffer<K>(items.size());
    backend.each(items.size(), detail::write_key<Item, K, Key, Wanted>{
                                   items.data(), key, wanted, detail::bit_mask<K>(detail::clipped<K>(bits)), keys.data()});
    backend.segmented_sort(keys.span(), items, segments, heads);
  } else {
    backend.segmented_sort_by(items, segments, key, heads, bits);
  }
}

/// Returns the maximum of bytes that sort_by_key takes from the pool; see segmented_sort_memory.
template <Backend B>
std::size_t sort_by_key_memory(std::size_t n, std::size_t segments, std::size_t max_length, std::size_t key_bytes,
                               std::size_t item_bytes) {
  if constexpr (writes_keys<B>)
    return pool::rounded(n * key_bytes) + B::segmented_sort_memory(n, segments, max_length, key_bytes, item_bytes);
  else
    return B::segmented_sort_by_memory(n, segments, max_length, key_bytes, item_bytes);
}

}  // namespace ordo::inline v0
