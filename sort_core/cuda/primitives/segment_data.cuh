#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/bits.hpp"
#include "ordo/radix_key.hpp"
#include "sort_core/cuda/primitives/float_numbers.hpp"
#include "sort_core/cuda/primitives/thread_group.cuh"

// Data that the kernels of the segmented sort share: the locations of keys and values, and the lists of segments to sort.
namespace ordo::inline v0::cuda_detail {

/// The type of values of a sort without values.
struct no_value {};

template <class V>
constexpr std::size_t value_bytes = std::is_same_v<V, no_value> ? 0 : sizeof(V);

/// Keys stored in memory, which are sorted by their codes.
template <class K>
struct stored_keys {
  static constexpr bool computed = false, sampled = false;
  using code_of_copy = key_code<K>;
  K* keys;
  key_code<K> code;
  /// Codes differ only below this bit.
  [[nodiscard]] __device__ unsigned bits() const { return 8 * sizeof(K); }
  __device__ void store(std::size_t i, K encoded) const { keys[i] = code.decode(encoded); }
  /// Returns the code that identifies floating-point keys.
  [[nodiscard]] __device__ key_code<K> code_of_floats() const { return code; }
  [[nodiscard]] __device__ K const* address(std::size_t i) const { return keys + i; }
  /// Returns the code of a key that was loaded from address(i).
  [[nodiscard]] __device__ K encode(K key) const { return code.encode(key); }
};

/// Floating-point keys, for kernels that may take digits from values.
template <class K>
struct stored_floats : stored_keys<K> {};

/// Keys computed from the item, which are not stored.
template <class K, class Item, class Key>
struct computed_keys {
  static constexpr bool computed = true, sampled = false;
  using code_of_copy = key_code<K>;
  Item const* items;
  Key key;
  K mask;
  [[nodiscard]] __device__ unsigned bits() const { return 64 - leading_zeros(std::uint64_t(mask)); }
  __device__ void store(std::size_t, K) const {}
  [[nodiscard]] __device__ static constexpr key_code<K> code_of_floats() { return {}; }
  [[nodiscard]] __device__ Item const* address(std::size_t i) const { return items + i; }
  [[nodiscard]] __device__ K encode(Item item) const { return K(key(item) & mask); }
};

/// The copy of a segment's data that is current.
enum class copy : std::uint32_t {
  given,  // the caller's: keys by Keys::load, values in the caller's array
  away,   // codes and values in the second buffers
  home    // codes in the first code buffer, values in the caller's array
};

/// The data of one segmented sort. The sort of a block reads a segment from any copy, and leaves keys, values and heads in the
/// caller's arrays. `codes` and `away` exist only if a segment may be too large for a block.
template <class K, class V, class Keys>
struct segment_data {
  Keys keys;
  V* values;
  std::uint8_t* heads;  // null if not wanted
  K* home_codes;
  K* away_codes;
  V* away_values;

  /// Writes to key[i] the code of item first + i * Step of a segment, for the `own_count` items that exist, and the greatest
  /// code for the others. All loads are issued before the first result is used.
  template <unsigned Step, unsigned Items>
  __device__ void load(copy from, std::uint64_t first, unsigned own_count, K (&key)[Items]) const {
    auto const load_from = [&](auto const* source, auto encode) {
      std::remove_cvref_t<decltype(*source)> item[Items];
      // Always assigned: otherwise the compiler would keep the keys of the previous segment.
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        item[i] = i < own_count ? source[i * Step] : std::remove_cvref_t<decltype(*source)>{};
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) key[i] = i < own_count ? encode(item[i]) : K(~K{0});
    };
    if (from == copy::given)
      load_from(keys.address(first), [&](auto const& item) { return keys.encode(item); });
    else
      load_from((from == copy::away ? away_codes : home_codes) + first, [](K code) { return code; });
  }
  [[nodiscard]] __device__ V const* value_address(copy from, std::size_t i) const {
    return (from == copy::away ? away_values : values) + i;
  }
  /// Returns the same data with other keys.
  template <class Others>
  [[nodiscard]] segment_data<K, V, Others> with(Others others) const {
    return {others, values, heads, home_codes, away_codes, away_values};
  }
};

/// The granularity of global memory accesses, in bytes.
constexpr std::size_t sector = 32;

/// Prefetches the data of a segment that is sorted soon. Called by `threads` threads, of which this one has the number `rank`.
template <class K, class V, class Keys>
__device__ void prefetch(segment_data<K, V, Keys> const& data, copy from, std::uint64_t begin, std::uint64_t n, unsigned rank,
                         unsigned threads) {
  auto const fetch = [&](void const* first, std::size_t bytes) {
    // Begins at the sector of the first byte, because `first` need not be aligned to it.
    auto const address = reinterpret_cast<std::uintptr_t>(first) / sector * sector;
    std::size_t const end = reinterpret_cast<std::uintptr_t>(first) + bytes - address;
    for (std::size_t at = rank * sector; at < end; at += threads * sector)
      prefetch(reinterpret_cast<void const*>(address + at));
  };
  if (n == 0) return;
  if (from == copy::given)
    fetch(data.keys.address(begin), n * sizeof(*data.keys.address(begin)));  // items, where keys are computed
  else
    fetch((from == copy::away ? data.away_codes : data.home_codes) + begin, n * sizeof(K));
  if constexpr (value_bytes<V> != 0) fetch(data.value_address(from, begin), n * sizeof(V));
}

/// Does the same, called by all threads of a block.
template <class K, class V, class Keys>
__device__ void prefetch_by_block(segment_data<K, V, Keys> const& data, copy from, std::uint64_t begin, std::uint64_t n) {
  if constexpr (has_bulk_prefetch) {
    if (threadIdx.x != 0 || n == 0) return;
    if (from == copy::given)
      bulk_prefetch(data.keys.address(begin), n * sizeof(*data.keys.address(begin)));
    else
      bulk_prefetch((from == copy::away ? data.away_codes : data.home_codes) + begin, n * sizeof(K));
    if constexpr (value_bytes<V> != 0) bulk_prefetch(data.value_address(from, begin), n * sizeof(V));
  } else {
    prefetch(data, from, begin, n, threadIdx.x, blockDim.x);
  }
}

/// A segment that a warp or block sorts.
struct segment_record {
  std::uint64_t begin;
  std::uint32_t length;
  copy from;
};

/// A segment_record in one word, as stored in lists: begin below 2^47, length 1 to 2^15.
struct packed_segment {
  std::uint64_t word;
  __device__ static packed_segment pack(segment_record r) {
    return {r.begin << 17 | std::uint64_t(r.length - 1) << 2 | std::uint64_t(r.from)};
  }
  [[nodiscard]] __device__ segment_record unpack() const {
    return {word >> 17, (std::uint32_t(word) >> 2 & 0x7fff) + 1, copy(word & 3)};
  }
};

/// The segments of one class: listed in device memory with their number, so that the host need not wait for it; or
/// `uniform_count` of one length. Two lists share an array, one from its front, one from its back.
struct segment_queue {
  packed_segment* records;
  bool backwards;
  unsigned long long* count;
  std::uint64_t uniform_length, uniform_count;

  [[nodiscard]] __device__ std::uint64_t size() const { return uniform_length != 0 ? uniform_count : *count; }
  [[nodiscard]] __device__ segment_record operator[](std::uint64_t i) const {
    if (uniform_length != 0) return {i * uniform_length, std::uint32_t(uniform_length), copy::given};
    return (backwards ? records - i : records + i)->unpack();
  }
  __device__ void set(std::uint64_t i, segment_record r) const {
    *(backwards ? records - i : records + i) = packed_segment::pack(r);
  }
};

}  // namespace ordo::inline v0::cuda_detail
