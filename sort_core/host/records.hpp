#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>

namespace ordo::inline v0::host_detail {

/// The type of values of a sort without values.
struct nothing {};

/// Room for N items of a type that need not have a default constructor.
template <class T, std::size_t N>
struct room {
  alignas(T) std::byte bytes[N * sizeof(T)];
  [[nodiscard]] T* data() { return reinterpret_cast<T*>(bytes); }
  [[nodiscard]] T const* data() const { return reinterpret_cast<T const*>(bytes); }
  [[nodiscard]] T& operator[](std::size_t i) { return data()[i]; }
  [[nodiscard]] T const& operator[](std::size_t i) const { return data()[i]; }
};

/// Larger items, in bytes, are accessed through pointers where others are copied to the stack.
constexpr std::size_t largest_copied = 32;

/// Keys and their values. The pointer to values is unused for `nothing`.
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
  void set(std::size_t i, K const& key, V value) const {
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

}  // namespace ordo::inline v0::host_detail
