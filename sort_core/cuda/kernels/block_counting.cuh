#pragma once
#include <cstdint>

#include "sort_core/cuda/kernels/block_memory.cuh"

namespace ordo::inline v0::cuda_detail {

/// A word of counters of 2 or 16 bits each.
template <unsigned Bits>
struct packed_counters {
  static constexpr unsigned per_word = 32 / Bits, max_count = (1u << Bits) - 1;
  [[nodiscard]] __device__ static unsigned count_shift(unsigned number) { return number % per_word * Bits; }
  [[nodiscard]] __device__ static std::uint32_t total(std::uint32_t word) {
    if constexpr (Bits == 16) return (word & 0xffff) + (word >> 16);
    word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
    word = (word & 0x0f0f0f0fu) + (word >> 4 & 0x0f0f0f0fu);
    return word * 0x01010101u >> 24;
  }
};

/// Ranking by counting, for keys without values in a small range: each number of the range has a counter of `Bits` bits.
/// Nothing is compared, because equal keys are indistinguishable. Two bits suffice if the range has tuning::sparse_numbers
/// numbers per key, because then seldom more than three keys are equal; 16 bits always suffice.
template <class K, unsigned Threads, unsigned Items>
struct block_counting : block_memory<K, Threads, Items> {
  using base = block_memory<K, Threads, Items>;
  using base::capacity, base::counters, base::run;
  using typename base::collective, typename base::team;
  /// The number of counters.
  template <unsigned Bits>
  static constexpr unsigned numbers = counters* packed_counters<Bits>::per_word;

  /// Writes the rank of key[i] to rank[i], unless more keys are equal than a counter can count.
  template <unsigned Bits>
  __device__ static ranking rank_keys(K const (&key)[Items], K smallest, unsigned own_count, std::uint32_t (&rank)[Items],
                                      unsigned char* memory, collective& shared) {
    using counter = packed_counters<Bits>;
    static_assert(capacity < 1u << 16);
    auto* const counts = base::counts_in(memory);
    auto* const before = reinterpret_cast<std::uint16_t*>(memory);  // sums of the words before
    bool is_dense = false;
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const number = unsigned(key[i] - smallest), shift = counter::count_shift(number);
      rank[i] = 0;
      if (i < own_count) rank[i] = atomicAdd(&counts[number / counter::per_word], 1u << shift) >> shift & counter::max_count;
      is_dense |= rank[i] == counter::max_count;
    }
    if (team::any(is_dense)) return ranking::dense_keys;
    sum_words<Bits>(counts, before, shared);
    team::sync();
    own_count = opaque(own_count);
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      unsigned const number = unsigned(key[i] - smallest), shift = counter::count_shift(number);
      if (i < own_count)
        rank[i] +=
            before[number / counter::per_word] + counter::total(counts[number / counter::per_word] & ((1u << shift) - 1));
    }
    return ranking::exact;
  }

 private:
  /// Writes to before[w] the sum of the words of counters before w.
  template <unsigned Bits>
  __device__ static __forceinline__ void sum_words(std::uint32_t const* counts, std::uint16_t* before, collective& shared) {
    auto const* const words = reinterpret_cast<uint4 const*>(counts) + team::rank() * (run / 4);
    std::uint32_t sums[run], sum = 0;
#pragma unroll
    for (unsigned j = 0; j < run; j += 4) {
      uint4 const four = words[j / 4];
      std::uint32_t const word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (unsigned k = 0; k < 4; ++k) {
        sums[j + k] = sum;
        sum += packed_counters<Bits>::total(word[k]);
      }
    }
    std::uint32_t const begin = team::exclusive_sum(sum, shared);
    auto* const pairs = reinterpret_cast<std::uint32_t*>(before) + team::rank() * (run / 2);
#pragma unroll
    for (unsigned j = 0; j < run; j += 2) pairs[j / 2] = (begin + sums[j]) | (begin + sums[j + 1]) << 16;
  }
};

}  // namespace ordo::inline v0::cuda_detail
