#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ordo/backend.hpp"
#include "ordo/memory.hpp"

// Segments by computed keys, for algorithms over a Backend: as segmented_sort_by, or with keys that are written first.
namespace ordo {

/// Does it pay to write the keys first? Where a sort by computed keys is a set of kernels for each key, programs are large and
/// long to compile; the sorts of written keys are compiled once.
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
    keys[i] = wanted(i) ? K(key(items[i]) & mask) : K{0};  // kernels may read it, though nothing comes of it
  }
};

}  // namespace detail

/// Sorts each segment of items by key(item), as segmented_sort_by does. The key may be asked of every item at i with wanted(i),
/// in a segment or not.
template <Backend B, class Item, class Offset, class Key, class Wanted = detail::always>
void sort_by_key(B& machine, std::span<Item> items, segment_list<Offset> const& segments, Key key,
                 std::span<std::uint8_t> heads = {}, bit_range bits = {}, Wanted wanted = {}) {
  if constexpr (writes_keys<B>) {
    using K = std::remove_cvref_t<std::invoke_result_t<Key, Item>>;
    auto const keys = machine.template buffer<K>(items.size());
    machine.each(items.size(), detail::write_key<Item, K, Key, Wanted>{
                                   items.data(), key, wanted, detail::mask_of<K>(detail::clipped<K>(bits)), keys.data()});
    machine.segmented_sort(keys.span(), items, segments, heads);
  } else {
    machine.segmented_sort_by(items, segments, key, heads, bits);
  }
}

/// Bytes that sort_by_key takes from the pool at most; see segmented_sort_memory.
template <Backend B>
std::size_t sort_by_key_memory(std::size_t n, std::size_t segments, std::size_t max_length, std::size_t key_bytes,
                               std::size_t item_bytes) {
  if constexpr (writes_keys<B>)
    return pool::rounded(n * key_bytes) + B::segmented_sort_memory(n, segments, max_length, key_bytes, item_bytes);
  else
    return B::segmented_sort_by_memory(n, segments, max_length, key_bytes, item_bytes);
}

}  // namespace ordo
