#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/segments.hpp"
#include "sort_core/host/records.hpp"

// Sorting of keys alone with the widest vectors of the processor that the program runs on (vectorized.cpp).
#pragma GCC visibility push(default)
namespace ordo::inline v0::host_detail {

/// Returns the largest number of keys of `key_bytes` bytes for which sort_by_vectors is faster than sorting by digits; 0
/// without vectors.
std::size_t max_vector_keys(std::size_t key_bytes) noexcept;

/// Returns the number of keys that sort_by_vectors sorts in one step; 0 without vectors.
std::size_t network_keys(std::size_t key_bytes) noexcept;

/// Sorts keys[0, n) in place by encode.encode(key), and writes decode.decode(code) for each code. Runs on the calling thread.
/// Equal codes are equal keys, so that the result is the same on every processor. Takes some kilobytes of the stack, and
/// O(n log n) time for every input.
void sort_by_vectors(std::uint32_t* keys, std::size_t n, key_code<std::uint32_t> encode,
                     key_code<std::uint32_t> decode) noexcept;
void sort_by_vectors(std::uint64_t* keys, std::size_t n, key_code<std::uint64_t> encode,
                     key_code<std::uint64_t> decode) noexcept;

/// Does the same on several threads, those of the calling task's arena. @param threads  their number, at least 1
void sort_by_vectors_on(unsigned threads, std::uint32_t* keys, std::size_t n, key_code<std::uint32_t> encode,
                        key_code<std::uint32_t> decode);
void sort_by_vectors_on(unsigned threads, std::uint64_t* keys, std::size_t n, key_code<std::uint64_t> encode,
                        key_code<std::uint64_t> decode);

/// Forbids vectors of more than `bytes` bytes, and more than `max_partitions` partitions on the way to a key, until the next
/// call; without arguments allows all. For tests and benchmarks; no other thread may sort at the same time.
void limit_vectors(std::size_t bytes = ~std::size_t{0}, unsigned max_partitions = ~0u) noexcept;

}  // namespace ordo::inline v0::host_detail
#pragma GCC visibility pop

namespace ordo::inline v0::host_detail {

/// True for records that sort_by_vectors takes: keys alone.
template <class K, class V>
constexpr bool for_vectors = std::same_as<V, nothing> && (std::same_as<K, std::uint32_t> || std::same_as<K, std::uint64_t>);

/// Fewer keys are sorted faster by counting (small.hpp).
constexpr std::size_t min_vector_keys = 8;

/// Returns how many of at most `max_vector` keys to sort by sort_by_vectors at once where there is a second buffer. More keys
/// of 64 bits, of which a vector holds few, are distributed by digits first.
template <class K>
std::size_t max_direct_keys(std::size_t max_vector) noexcept {
  constexpr std::size_t partitions = 2;
  if constexpr (sizeof(K) == 8)
    return std::min(max_vector, network_keys(8) << partitions);
  else
    return max_vector;
}

/// Returns the largest n for which n records are sorted by vectors, if `bits` are compared; 0 if none are.
template <class K, class V>
std::size_t max_vector_records(bit_range bits) noexcept {
  if constexpr (for_vectors<K, V>)
    return bits.begin == 0 && bits.end >= 8 * sizeof(K) ? max_vector_keys(sizeof(K)) : 0;
  else
    return 0;
}

}  // namespace ordo::inline v0::host_detail
