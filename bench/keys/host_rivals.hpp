#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

// Sorts of keys by others, on a CPU. Rivals whose sources were not given to CMake are left out.
namespace ordo::inline v0::bench {

/// A sort of n keys.
template <class K>
struct key_sort {
  std::string_view name;
  bool parallel;  // uses `threads` threads; others use one
  void (*sort)(K* keys, std::size_t n, unsigned threads);
};

/// A sort of n keys with their values, by one thread. Not stable.
template <class K, class V>
struct pair_sort {
  std::string_view name;
  void (*sort)(K* keys, V* values, std::size_t n);
};

/// K: std::uint32_t, float or std::uint64_t.
template <class K>
std::vector<key_sort<K>> key_sorts();
/// K and V: std::uint32_t or std::uint64_t, both the same.
template <class K, class V>
std::vector<pair_sort<K, V>> pair_sorts();

}  // namespace ordo::inline v0::bench
