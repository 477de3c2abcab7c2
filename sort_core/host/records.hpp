#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>

namespace ordo::detail {

/// Stands for the values of a sort that has none.
struct nothing {};

/// Keys with values beside them; the values' pointer is unused for `nothing`.
template <class K, class V>
struct records {
  K* keys;
  V* values;

  [[nodiscard]] records from(std::size_t i) const {
    if constexpr (std::same_as<V, nothing>)
      return {keys + i, values};
    else
      return {keys + i, values + i};
  }
  void set(std::size_t i, K key, V value) const {
    keys[i] = key;
    if constexpr (!std::same_as<V, nothing>) values[i] = value;
  }
  [[nodiscard]] V value(std::size_t i) const {
    if constexpr (std::same_as<V, nothing>)
      return {};
    else
      return values[i];
  }
  void copy_to(records to, std::size_t n) const {
    std::copy_n(keys, n, to.keys);
    if constexpr (!std::same_as<V, nothing>) std::copy_n(values, n, to.values);
  }
};

}  // namespace ordo::detail
