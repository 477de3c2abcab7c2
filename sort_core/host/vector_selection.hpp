#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/radix_key.hpp"

// Selections from keys alone, and a test of their order, by one thread with the widest vectors of the processor that the
// program runs on (vectorized.cpp).
#pragma GCC visibility push(default)
namespace ordo::inline v0::host_detail {

/// Moves keys[0, n) so that the key that a sort by `code` puts at k < n is there, no key before it has a greater code, and none
/// after it a smaller one. Takes O(n log n) time at most, and usually O(n).
void select_by_vectors(std::uint32_t* keys, std::size_t n, std::size_t k, key_code<std::uint32_t> code) noexcept;
void select_by_vectors(std::uint64_t* keys, std::size_t n, std::size_t k, key_code<std::uint64_t> code) noexcept;

/// Returns the position of the first of n keys whose code is less than `limit`, or whose bits without the highest are more than
/// `max_magnitude`; n if there is none.
std::size_t find_less(std::uint32_t const* keys, std::size_t n, key_code<std::uint32_t> code, std::uint32_t limit,
                      std::uint32_t max_magnitude) noexcept;
std::size_t find_less(std::uint64_t const* keys, std::size_t n, key_code<std::uint64_t> code, std::uint64_t limit,
                      std::uint64_t max_magnitude) noexcept;

/// Returns true if the codes of n keys are in ascending order. Equal codes may follow each other.
bool ascend_by_vectors(std::uint32_t const* keys, std::size_t n, key_code<std::uint32_t> code) noexcept;
bool ascend_by_vectors(std::uint64_t const* keys, std::size_t n, key_code<std::uint64_t> code) noexcept;

}  // namespace ordo::inline v0::host_detail
#pragma GCC visibility pop

namespace ordo::inline v0::host_detail {

/// As find_less, without vectors.
template <class U>
std::size_t find_less_one_by_one(U const* keys, std::size_t n, key_code<U> code, U limit, U max_magnitude) {
  std::size_t i = 0;
  while (i < n && code.encode(keys[i]) >= limit && U(keys[i] & U(~key_code<U>::top)) <= max_magnitude) ++i;
  return i;
}

/// As ascend_by_vectors, without vectors.
template <class U>
bool ascend_one_by_one(U const* keys, std::size_t n, key_code<U> code) {
  for (std::size_t i = 1; i < n; ++i)
    if (code.encode(keys[i]) < code.encode(keys[i - 1])) return false;
  return true;
}

}  // namespace ordo::inline v0::host_detail
