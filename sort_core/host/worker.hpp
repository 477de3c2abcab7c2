#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sort_core/host/radix.hpp"
#include "sort_core/host/segmented.hpp"

namespace ordo::inline v0 {

/// One thread of the CPU backend and its memory for sorting. host::each_worker passes it to its functor.
class host_worker {
 public:
  /// The maximum number of items that sort_small is used for.
  static constexpr std::size_t small = 24;

  /// Sorts items[0, n) by key(item). Stable. @returns the sorted keys, valid until the next call
  template <class V, class Key>
  std::uint64_t const* sort_by(V* items, std::size_t n, Key const& key) {
    if (capacity_ < n * sizeof(V)) grow(n, sizeof(V));
    std::uint64_t* const keys = keys_.get();
    std::uint64_t const differing = compute(items, n, key, keys);
    if (differing == 0) return keys;
    host_detail::records<std::uint64_t, V> const from{keys, items}, other{other_.get(), reinterpret_cast<V*>(values_.get())};
    host_detail::sort_bucket(from, other, n, {unsigned(std::countr_zero(differing)), unsigned(std::bit_width(differing))},
                             false);
    return keys;
  }

  /// Computes keys[i] = key(items[i]) for i in [0, n), for sort(). @returns the keys, valid until the next call that computes
  /// keys
  template <class V, class Key>
  std::uint64_t* keys_of(V const* items, std::size_t n, Key const& key) {
    if (capacity_ < n * sizeof(V)) grow(n, sizeof(V));
    if (n != 0) compute(items, n, key, keys_.get());
    return keys_.get();
  }
  /// Sorts values[0, n) and keys[0, n) by the keys, which are among those that keys_of returned. Stable.
  template <class V>
  void sort(std::uint64_t* keys, V* values, std::size_t n) const {
    host_detail::records<std::uint64_t, V> const from{keys, values}, other{other_.get(), reinterpret_cast<V*>(values_.get())};
    host_detail::sort_bucket(from, other, n, {0, 64}, false);
  }

  /// Sorts values[0, n) and their keys by the keys. Stable.
  template <class V>
  void sort_small(std::uint64_t* keys, V* values, std::size_t n) const {
    host_detail::records<std::uint64_t, V> const all{keys, values};
    host_detail::sort_small(all, all, n, host_detail::whole<std::uint64_t, host_detail::smaller>{});
  }

 private:
  /// @returns a word with ones where keys differ
  template <class V, class Key>
  static std::uint64_t compute(V const* items, std::size_t n, Key const& key, std::uint64_t* keys) {
    constexpr std::size_t look_ahead = 16;
    std::uint64_t differing = 0;
    std::size_t i = 0;
    for (std::size_t k = 0; k < std::min(n, look_ahead); ++k) key.prefetch(items[k]);
    std::uint64_t const first = key(items[0]);
    for (; i + look_ahead < n; ++i) {
      key.prefetch(items[i + look_ahead]);
      differing |= (keys[i] = key(items[i])) ^ first;
    }
    for (; i < n; ++i) differing |= (keys[i] = key(items[i])) ^ first;
    return differing;
  }

  void grow(std::size_t n, std::size_t value_bytes) {
    n += n / 2;
    keys_ = std::make_unique_for_overwrite<std::uint64_t[]>(n);
    other_ = std::make_unique_for_overwrite<std::uint64_t[]>(n);
    values_ = std::make_unique_for_overwrite<std::uint64_t[]>((n * value_bytes + 7) / 8);
    capacity_ = n * value_bytes;
  }

  std::unique_ptr<std::uint64_t[]> keys_, other_, values_;
  std::size_t capacity_ = 0;  // bytes of values
};

}  // namespace ordo::inline v0
