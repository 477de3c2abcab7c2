#pragma once
#include <cstdint>

#include "base/bits.hpp"
#include "sort_core/cuda/kernels/block_memory.cuh"

// Ranking by buckets in shared memory (the buckets of GPU-ArraySort). A map gives the bucket of each key; buckets are counted,
// counts are summed, and the few items that share a bucket are compared.
namespace ordo::inline v0::cuda_detail {

/// A word of counters. First its lower half counts the items of several buckets, with Bits bits each. Later its upper half
/// holds the position at which the first of them begins.
template <unsigned Bits>
struct bucket_counters {
  static constexpr unsigned per_word = 16 / Bits, max_count = (1u << Bits) - 1;
  /// Multiplying by these turns the counts of a word into sums: `ones` of each and those below it, `below` of those below it
  /// alone.
  static constexpr unsigned ones = 0x1111u & (Bits == 4 ? 0xffffu : 0x0101u), below = ones << Bits & 0xffff;

  /// Returns the lowest bit of a bucket's count.
  [[nodiscard]] __device__ static unsigned count_shift(unsigned bucket) { return bucket % per_word * Bits; }
  [[nodiscard]] __device__ static std::uint32_t total(std::uint32_t word) {
    std::uint32_t const bytes = Bits == 4 ? (word & 0x0f0f) + (word >> 4 & 0x0f0f) : word;
    return (bytes & 0xff) + (bytes >> 8);
  }
  /// Returns the size of the bucket whose count begins at bit `shift`.
  [[nodiscard]] __device__ static std::uint32_t size(std::uint32_t counts, unsigned shift) {
    return counts >> shift & max_count;
  }
  [[nodiscard]] __device__ static std::uint32_t first(std::uint32_t word, std::uint32_t counts, unsigned shift) {
    return (word >> 16) + ((counts * below & 0xffff) >> shift & max_count);
  }
};

/// A linear map of [0, greatest] to `buckets`, with `greatest` at least 2^31. The upper 32 bits of the result are the bucket,
/// the lower ones the order within it.
struct linear_map {
  std::uint32_t scale;
  __device__ linear_map(std::uint32_t greatest, std::uint32_t buckets) {
    scale = std::uint32_t(__fdividef(float(buckets) * 4294967296.0f, float(greatest)));
    if (__umulhi(greatest, scale) >= buckets) --scale;
    // Keys of 32 bits then never share a word: their products differ by `scale` or more, and a word leaves out fewer bits.
    scale = max(scale, buckets);
  }
  [[nodiscard]] __device__ std::uint64_t operator()(std::uint32_t x) const { return std::uint64_t(x) * scale; }
};

/// The upper 32 bits of a key's distance from the smallest key.
template <class K>
__device__ std::uint32_t upper_distance(K x, K smallest, unsigned shift) {
  return std::uint32_t(K(K(x - smallest) << shift) >> (8 * sizeof(K) - 32));
}
/// Returns the shift by which a range fills its bits.
template <class K>
__device__ unsigned shift_of_range(K range) {
  return range == 0 ? 0 : leading_zeros(std::uint64_t(range)) - (64 - 8 * unsigned(sizeof(K)));
}

template <class K, unsigned Threads, unsigned Items>
struct block_buckets : block_memory<K, Threads, Items> {
  using base = block_memory<K, Threads, Items>;
  using base::capacity, base::counters, base::position_bits, base::run;
  using typename base::collective, typename base::team;
  static constexpr unsigned buckets = counters * bucket_counters<4>::per_word, bucket_bits = 17;
  static_assert(buckets >= 1u << position_bits, "see linear_map");
  static_assert(counters * bucket_counters<8>::per_word >= capacity, "see celled_map");
  static_assert(buckets <= 1u << bucket_bits, "see count_items");

  /// Writes the rank of key[i] to rank[i] if keys are even enough.
  __device__ static ranking rank_evenly(K const (&key)[Items], extremes<K> ends, unsigned own_count,
                                        std::uint32_t (&rank)[Items], unsigned char* memory, collective& shared) {
    if (ends.smallest == ends.greatest) {
#pragma unroll
      for (unsigned i = 0; i < Items; ++i) rank[i] = i * Threads + team::rank();
      return ranking::exact;
    }
    K const smallest = ends.smallest;
    unsigned const shift = shift_of_range(K(ends.greatest - smallest));
    linear_map const linear(upper_distance(ends.greatest, smallest, shift), buckets);
    return rank_in_buckets<4>(
        key, [&](K x) { return linear(upper_distance(x, smallest, shift)); }, own_count, rank, memory, shared);
  }

  /// Ranks by buckets with counts of `Bits` bits. Fails if the buckets of a word hold more items than that, because other
  /// methods are then faster. Keys that differ only in bits that a word leaves out may be out of order.
  template <unsigned Bits, class Map>
  __device__ static ranking rank_in_buckets(K const (&key)[Items], Map map, unsigned own_count, std::uint32_t (&rank)[Items],
                                            unsigned char* memory, collective& shared) {
    constexpr unsigned dense_count = tuning::dense_bucket(Bits);
    static_assert(bucket_bits + Bits <= 32 && dense_count <= bucket_counters<Bits>::max_count);
    auto* const counts = base::counts_in(memory);
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
    std::uint32_t word[Items];
    unsigned const largest = count_items<Bits>(key, map, own_count, word, rank, counts);
    // A thread that finds a full counter reports it before any counter that it overflowed into is used.
    if (team::any(largest >= dense_count)) return ranking::dense_keys;
    if (team::any(sum_counts<Bits>(counts, shared))) return ranking::dense_keys;
    place_words<Bits>(own_count, word, rank, counts, words);
    team::sync();
    compare_words(word, rank, words);
    return ranking::exact;
  }

 private:
  /// Writes to word[i] the part of key[i] that is compared, and to rank[i] its bucket and, above bucket_bits, the number of
  /// items that came before it in the bucket. Returns the maximum of these numbers.
  template <unsigned Bits, class Map>
  __device__ static __forceinline__ unsigned count_items(K const (&key)[Items], Map map, unsigned own_count,
                                                         std::uint32_t (&word)[Items], std::uint32_t (&rank)[Items],
                                                         std::uint32_t* counts) {
    using counter = bucket_counters<Bits>;
    unsigned largest = 0;
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      std::uint64_t const product = map(key[i]);
      auto const bucket = std::uint32_t(product >> 32);
      word[i] = (std::uint32_t(product) & ~((1u << position_bits) - 1)) | (i * Threads + team::rank());
      unsigned const shift = counter::count_shift(bucket);
      std::uint32_t before = 0;
      if (i < own_count) before = counter::size(atomicAdd(&counts[bucket / counter::per_word], 1u << shift), shift);
      largest = max(largest, before);
      rank[i] = opaque(bucket | before << bucket_bits);
    }
    return largest;
  }

  /// Writes to each word of counters where its first bucket begins. Returns true if one of this thread's has too many items.
  template <unsigned Bits>
  __device__ static __forceinline__ bool sum_counts(std::uint32_t* counts, collective& shared) {
    auto* const own_words = reinterpret_cast<uint4*>(counts) + team::rank() * (run / 4);
    std::uint32_t count[run], sum = 0;
    bool is_dense = false;
#pragma unroll
    for (unsigned j = 0; j < run; j += 4) {
      uint4 const four = own_words[j / 4];
      count[j] = four.x, count[j + 1] = four.y, count[j + 2] = four.z, count[j + 3] = four.w;
    }
#pragma unroll
    for (unsigned j = 0; j < run; ++j) {
      std::uint32_t const all = bucket_counters<Bits>::total(count[j]);
      is_dense |= all > bucket_counters<Bits>::max_count;
      count[j] |= sum << 16;
      sum += all;
    }
    std::uint32_t const begin = team::exclusive_sum(sum, shared) << 16;
#pragma unroll
    for (unsigned j = 0; j < run; j += 4)
      own_words[j / 4] = {count[j] + begin, count[j + 1] + begin, count[j + 2] + begin, count[j + 3] + begin};
    return is_dense;
  }

  /// Writes the words of buckets with two or more items to shared memory, bucket by bucket. rank[i] becomes the bucket's first
  /// rank and, above 16 bits, its number of items, 0 for one.
  template <unsigned Bits>
  __device__ static __forceinline__ void place_words(unsigned own_count, std::uint32_t const (&word)[Items],
                                                     std::uint32_t (&rank)[Items], std::uint32_t const* counts,
                                                     std::uint32_t* words) {
    using counter = bucket_counters<Bits>;
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const bucket = rank[i] % (1u << bucket_bits), shift = counter::count_shift(bucket);
      std::uint32_t const bounds = i < own_count ? counts[bucket / counter::per_word] : 0, in_word = bounds & 0xffff;
      std::uint32_t const size = counter::size(in_word, shift), first = counter::first(bounds, in_word, shift);
      if (size > 1) words[first + (rank[i] >> bucket_bits)] = word[i];
      rank[i] = opaque(size > 1 ? first | size << 16 : first);  // one item needs no comparison
    }
  }

  /// Compares the words of each bucket, in their order of arrival, some items at a time.
  __device__ static __forceinline__ void compare_words(std::uint32_t const (&word)[Items], std::uint32_t (&rank)[Items],
                                                       std::uint32_t const* words) {
    constexpr unsigned interleaved = Items % 4 == 0 ? 4 : 3;
#pragma unroll
    for (unsigned row = 0; row < Items; row += interleaved) {
      std::uint32_t longest = 0, size[interleaved];
      std::uint32_t const* others[interleaved];
#pragma unroll
      for (unsigned i = 0; i < interleaved && row + i < Items; ++i) {
        size[i] = rank[row + i] >> 16;
        rank[row + i] &= 0xffff;
        others[i] = words + rank[row + i];
        longest = max(longest, size[i]);
      }
#pragma unroll 1
      for (unsigned d = 0; d < longest; ++d) {
#pragma unroll
        for (unsigned i = 0; i < interleaved && row + i < Items; ++i) {
          if (d < size[i] && *others[i] < word[row + i]) ++rank[row + i];
          ++others[i];
        }
      }
    }
  }
};

}  // namespace ordo::inline v0::cuda_detail
