#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sort_core/cuda/primitives/block_radix.cuh"
#include "sort_core/cuda/primitives/dictionary.cuh"
#include "sort_core/cuda/primitives/segment_data.cuh"
#include "sort_core/cuda/primitives/thread_group.cuh"
#include "sort_core/cuda/tuning/segmented.cuh"

// The shared memory of a block that sorts a segment, and the operations that all its methods of ranking share.
namespace ordo::inline v0::cuda_detail {

/// The result of ranking.
enum class ranking {
  exact,
  rough,       // right, except perhaps for keys that lie close together
  dense_keys,  // failed: the buckets are too uneven
  alike        // failed: 32 bits are too few to distinguish the keys
};

/// Memory for segments of 1 to Threads * Items items. Thread r holds items r, Threads + r, 2 * Threads + r, ...
///
/// The front holds one word per item, then counters of buckets; or sorted keys, then their values; or, for dense keys, keys,
/// 16 bits per item, and each warp's counts of a digit. After it are the memory of the collectives, then cells or a
/// dictionary, then values that are being loaded.
template <class K, unsigned Threads, unsigned Items>
struct block_memory {
  using team = group<Threads>;
  using collective = typename team::template storage<K>;
  static constexpr unsigned capacity = Threads * Items;
  static constexpr unsigned position_bits = [] {
    unsigned bits = 1;
    while (1u << bits < capacity) ++bits;
    return bits;
  }();
  static_assert(position_bits <= 15);

  /// Words of counters per thread, which sums them four at a time. There are about as many words as items.
  static constexpr unsigned run = Items < 6 ? 4 : (Items + 2) / 4 * 4;
  static constexpr unsigned counters = run * Threads;
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t bucket_bytes = (capacity + counters) * 4;

  /// The bits of a number of the dictionary: eight if ranking then takes little more memory than the buckets.
  static constexpr unsigned digit_bits =
      capacity * (sizeof(K) + 2) + (team::warps * 2u << 8) <= bucket_bytes + bucket_bytes / 8 ? 8 : 7;
  using radix = block_radix<Threads, Items, digit_bits>;
  static constexpr std::size_t radix_bytes = capacity * (sizeof(K) + 2) + radix::count_bytes;
  static constexpr std::size_t working_bytes(std::size_t value_size) {
    return aligned(std::max<std::size_t>({bucket_bytes, radix_bytes, capacity * (sizeof(K) + value_size)}));
  }

  static constexpr unsigned slots = [] {
    unsigned size = 64;
    while (size * 8 <= capacity && size * sizeof(K) < 2048) size *= 2;
    return size;
  }();
  /// The numbers of all its keys, and one more, must fit in one digit.
  using few_keys = dictionary<K, Threads, slots, std::min(slots / 2, (1u << digit_bits) - 1)>;
  /// Cells divide the range between a segment's smallest and greatest key.
  static constexpr unsigned cell_bits = position_bits < 10 ? position_bits - 2 : 8, cells = 1u << cell_bits;
  struct cell_table {
    K smallest[cells], greatest[cells];  // `greatest` is then replaced by the scale
    std::uint32_t bounds[cells];         // counts; then the first bucket and, above 16 bits, the shift of the range
  };
  static constexpr std::size_t spare_bytes = aligned(std::max(sizeof(cell_table), sizeof(few_keys)));

  /// True if values are loaded after the rest while ranks are computed, which needs few and small ones; else they are loaded
  /// later.
  static constexpr bool values_arrive(std::size_t value_size) {
    return value_size != 0 && value_size <= 8 && capacity * value_size <= tuning::arriving_bytes;
  }
  static constexpr std::size_t values_at(std::size_t value_size) {
    return working_bytes(value_size) + aligned(sizeof(collective)) + spare_bytes;
  }
  /// Returns the bytes of all parts for values of `value_size` bytes.
  static constexpr std::size_t bytes(std::size_t value_size) {
    return values_at(value_size) + (values_arrive(value_size) ? aligned(capacity * value_size) : 0);
  }

  /// Returns the number of items, of a segment of n, that this thread holds.
  [[nodiscard]] __device__ static unsigned count_own(unsigned n) { return (n + (Threads - 1 - team::rank())) / Threads; }

  __device__ static std::uint32_t* counts_in(unsigned char* memory) {
    return reinterpret_cast<std::uint32_t*>(memory) + capacity;
  }
  template <class T>
  __device__ static T* spare(collective& shared) {
    return reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(&shared) + aligned(sizeof(collective)));
  }
  /// Returns the 16-bit words of dense keys, which are after the keys.
  __device__ static std::uint16_t* halves_in(unsigned char* memory) {
    return reinterpret_cast<std::uint16_t*>(memory + capacity * sizeof(K));
  }
  __device__ static std::uint32_t* digits_in(unsigned char* memory) {
    return reinterpret_cast<std::uint32_t*>(memory + capacity * (sizeof(K) + 2));
  }

  __device__ static void clear_counts(unsigned char* memory) {
    auto* const counts = reinterpret_cast<uint4*>(counts_in(memory));
#pragma unroll
    for (unsigned w = 0; w < run / 4; ++w) counts[w * Threads + team::rank()] = {0, 0, 0, 0};
  }

  /// Writes keys[rank[i]] = key[i], and moves the values, which are at `from` or still being loaded, likewise. Synchronises.
  template <class V>
  __device__ static void scatter(unsigned own_count, K const (&key)[Items], V const* from, std::uint32_t const (&rank)[Items],
                                 unsigned char* memory) {
    K* const keys = reinterpret_cast<K*>(memory);
    own_count = opaque(own_count);
    if constexpr (value_bytes<V> == 0) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i)
        if (i < own_count) keys[rank[i]] = key[i];
    } else {
      V* const values = reinterpret_cast<V*>(memory + capacity * sizeof(K));
      V value[Items];
      if constexpr (values_arrive(sizeof(V))) wait_for_copies();
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) value[i] = i < own_count ? from[i * Threads] : V{};
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) {
        if (i < own_count) {
          keys[rank[i]] = key[i];
          values[rank[i]] = value[i];
        }
      }
    }
    team::sync();
  }

  /// Returns true if the keys in memory are in order. Synchronises.
  __device__ static bool in_order(unsigned n, unsigned own_count, unsigned char const* memory) {
    K const* const keys = reinterpret_cast<K const*>(memory) + team::rank();
    bool turned = false;
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < own_count && i * Threads + team::rank() + 1 < n) turned |= keys[i * Threads + 1] < keys[i * Threads];
    return !team::any(turned);
  }
};

}  // namespace ordo::inline v0::cuda_detail
