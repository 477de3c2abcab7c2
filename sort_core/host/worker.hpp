#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "ordo/radix_key.hpp"
#include "sort_core/host/few.hpp"
#include "sort_core/host/radix.hpp"
#include "sort_core/host/samples.hpp"
#include "sort_core/host/segmented.hpp"

namespace ordo::inline v0 {

/// One thread of the CPU backend and its memory for sorting. host::each_worker passes it to its functor.
class host_worker {
 public:
  /// The maximum number of items that sort_small is used for.
  static constexpr std::size_t small = 24;

  /// Sorts items[0, n) by key(item), an unsigned integer of 64 or 128 bits. Stable.
  /// @returns the sorted keys, valid until the
  /// next call
  template <class V, class Key>
  auto sort_by(V* items, std::size_t n, Key const& key) {
    using K = std::invoke_result_t<Key const&, V>;
    K* const keys = room_for<K, V>(n);
    K const differing = compute(items, n, key, keys);
    if (differing == 0) return static_cast<K const*>(keys);
    host_detail::sort_bucket(host_detail::records<K, V>{keys, items}, scratch<K, V>(), n,
                             {unsigned(host_detail::zeros_below(differing)), host_detail::width_in_bits(differing)}, false);
    return static_cast<K const*>(keys);
  }

  /// Computes keys[i] = key(items[i]) for i in [0, n), for sort().
  /// @returns the keys, valid until the next call that computes
  /// keys
  template <class V, class Key>
  std::uint64_t* evaluate_keys(V const* items, std::size_t n, Key const& key) {
    auto* const keys = room_for<std::uint64_t, V>(n);
    if (n != 0) compute(items, n, key, keys);
    return keys;
  }
  /// Sorts values[0, n) and keys[0, n) by the keys, which are among those that evaluate_keys returned. Stable.
  template <class V>
  void sort(std::uint64_t* keys, V* values, std::size_t n) const {
    host_detail::sort_bucket(host_detail::records<std::uint64_t, V>{keys, values}, scratch<std::uint64_t, V>(), n, {0, 64},
                             false);
  }

  /// Sorts values[0, n) and their keys by the keys. Stable.
  template <class K, class V>
  void sort_small(K* keys, V* values, std::size_t n) const {
    host_detail::records<K, V> const all{keys, values};
    host_detail::sort_few(all, all, n, host_detail::whole<K, host_detail::smaller>{});
  }

  /// Sorts items[0, n) of any trivially copyable type by `less`. Stable. Takes memory for as many items.
  template <class T, class Less>
  void sort_by_comparison(T* items, std::size_t n, Less const& less) const {
    using room = host_detail::room<T, 1>;
    auto const other = std::make_unique_for_overwrite<room[]>(n);
    host_detail::sort_by_merging(host_detail::records<T, host_detail::nothing>{items, nullptr},
                                 {reinterpret_cast<T*>(other.get()), nullptr}, n, less, false);
  }

 private:
  /// @returns a word with ones where keys differ
  template <class V, class Key, class K>
  static K compute(V const* items, std::size_t n, Key const& key, K* keys) {
    constexpr std::size_t look_ahead = 16;
    K differing = 0;
    std::size_t i = 0;
    for (std::size_t k = 0; k < std::min(n, look_ahead); ++k) key.prefetch(items[k]);
    K const first = key(items[0]);
    for (; i + look_ahead < n; ++i) {
      key.prefetch(items[i + look_ahead]);
      differing |= (keys[i] = key(items[i])) ^ first;
    }
    for (; i < n; ++i) differing |= (keys[i] = key(items[i])) ^ first;
    return differing;
  }

  /// Returns memory for n keys, and gets as much for the scratch memory of their sort.
  template <class K, class V>
  K* room_for(std::size_t n) {
    if (key_bytes_ < n * sizeof(K) || value_bytes_ < n * sizeof(V)) {
      n += n / 2;
      key_bytes_ = n * sizeof(K);
      value_bytes_ = n * sizeof(V);
      keys_ = memory(key_bytes_);
      other_ = memory(key_bytes_);
      values_ = memory(value_bytes_);
    }
    return reinterpret_cast<K*>(keys_.get());
  }
  template <class K, class V>
  [[nodiscard]] host_detail::records<K, V> scratch() const {
    return {reinterpret_cast<K*>(other_.get()), reinterpret_cast<V*>(values_.get())};
  }

  using word = host_detail::room<wide_key, 1>;  // as aligned as any key
  static std::unique_ptr<word[]> memory(std::size_t bytes) {
    return std::make_unique_for_overwrite<word[]>((bytes + sizeof(word) - 1) / sizeof(word));
  }

  std::unique_ptr<word[]> keys_, other_, values_;
  std::size_t key_bytes_ = 0, value_bytes_ = 0;
};

}  // namespace ordo::inline v0
