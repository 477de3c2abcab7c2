#pragma once
#include <cstdint>

#include "ordo/radix_key.hpp"

namespace ordo::inline v0::cuda_detail {

/// A key and its position: no two items are equal. Comparisons have no branches.
template <class K>
struct sampled_item {
  K key;
  std::uint32_t place;
  __device__ void encode(key_code<K> code) { key = code.encode(key); }
  [[nodiscard]] __device__ K code() const { return key; }
  [[nodiscard]] __device__ std::uint32_t position() const { return place; }
  [[nodiscard]] __device__ bool precedes(sampled_item const& other) const {
    return (key < other.key) | ((key == other.key) & (place < other.place));
  }
};
template <>
struct sampled_item<std::uint32_t> {
  std::uint64_t both;
  sampled_item() = default;
  __device__ sampled_item(std::uint32_t key, std::uint32_t place) : both(std::uint64_t{key} << 32 | place) {}
  __device__ void encode(key_code<std::uint32_t> of) { *this = {of.encode(code()), std::uint32_t(both)}; }
  [[nodiscard]] __device__ std::uint32_t code() const { return std::uint32_t(both >> 32); }
  [[nodiscard]] __device__ std::uint32_t position() const { return std::uint32_t(both); }
  [[nodiscard]] __device__ bool precedes(sampled_item other) const { return both < other.both; }
};

}  // namespace ordo::inline v0::cuda_detail
