#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/cuda/primitives/thread_group.cuh"

// A block's stable ranking of numbers of one digit. A warp's items are consecutive, 32 at a time, so that ranks follow the
// order of the items. A warp counts its digits with 16 bits each.
namespace ordo::inline v0::cuda_detail {

template <unsigned Threads, unsigned Items, unsigned DigitBits>
struct block_radix {
  using team = group<Threads>;
  /// Bytes of the counts of a digit of all warps.
  static constexpr std::size_t count_bytes = team::warps * 2u << DigitBits;

  /// Replaces numbers[p], below 2^bits, by its rank, for p in [0, n), n <= Threads * Items. `digits` has count_bytes.
  /// @param bits  1 to DigitBits
  template <class Collective>
  __device__ static void rank(std::uint16_t* numbers, std::uint32_t* digits, unsigned n, unsigned bits, Collective& shared) {
    unsigned const warp = team::rank() / warp_threads, first = warp * (Items * warp_threads) + lane_id();
    unsigned const own_count = n > first ? (n - first + warp_threads - 1) / warp_threads : 0, words = (1u << bits) / 2;
    std::uint32_t place[Items];
    for (unsigned w = team::rank(); w < team::warps * words; w += Threads) digits[w] = 0;
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) place[i] = i < own_count ? numbers[first + i * warp_threads] : 0;
    team::sync();
    std::uint32_t* const counts = digits + warp * words;
    if (bits <= 4)
      count_digits<4>(place, n, counts);
    else
      count_digits<DigitBits>(place, n, counts);
    team::sync();
    sum_digits(digits, words, shared);
    team::sync();
#pragma unroll
    for (unsigned i = 0; i < Items; ++i)
      if (i < own_count)
        numbers[first + i * warp_threads] = std::uint16_t(low_half(place[i]) + count_in_half(counts, high_half(place[i])));
    team::sync();
  }

 private:
  // Counts have 16 bits, two in a word.
  __device__ static std::uint32_t low_half(std::uint32_t two) {
    return two & 0xffff;
  }
  __device__ static std::uint32_t high_half(std::uint32_t two) {
    return two >> 16;
  }
  __device__ static std::uint32_t count_in_half(std::uint32_t const* counts, unsigned digit) {
    return counts[digit / 2] >> digit % 2 * 16 & 0xffff;
  }

  /// Replaces each count by the number of items with smaller digits, or in earlier warps. Two digits at a time, some per
  /// thread.
  template <class Collective>
  __device__ static __forceinline__ void sum_digits(std::uint32_t* digits, unsigned words, Collective& shared) {
    constexpr unsigned max_words = ((1u << DigitBits) / 2 + Threads - 1) / Threads;
    std::uint32_t sums[max_words], sum = 0;
    unsigned const from = team::rank() * max_words;
#pragma unroll
    for (unsigned j = 0; j < max_words; ++j) {
      sums[j] = 0;
      if (from + j >= words) continue;
#pragma unroll 8
      for (unsigned w = 0; w < team::warps; ++w) {
        std::uint32_t const count = digits[w * words + from + j];
        digits[w * words + from + j] = sums[j];
        sums[j] += count;
      }
      sum += low_half(sums[j]) + high_half(sums[j]);
    }
    std::uint32_t begin = team::exclusive_sum(sum, shared);
#pragma unroll
    for (unsigned j = 0; j < max_words; ++j) {
      if (from + j >= words) continue;
      std::uint32_t const both = begin | (begin + low_half(sums[j])) << 16;
#pragma unroll 8
      for (unsigned w = 0; w < team::warps; ++w) digits[w * words + from + j] += both;
      begin += low_half(sums[j]) + high_half(sums[j]);
    }
  }

  /// Replaces the digit place[i] by the number of equal digits before it in this warp's items and, above 16 bits, the digit.
  template <unsigned Bits>
  __device__ static void count_digits(std::uint32_t (&place)[Items], unsigned n, std::uint32_t* counts) {
    constexpr unsigned interleaved = Items % 4 == 0 ? 4 : Items % 3 == 0 ? 3 : 5;
    static_assert(Items % interleaved == 0);
    unsigned const first = team::rank() / warp_threads * (Items * warp_threads) + lane_id();
#pragma unroll
    for (unsigned row = 0; row < Items; row += interleaved) {
      unsigned alike[interleaved], before[interleaved];
#pragma unroll
      for (unsigned j = 0; j < interleaved; ++j) {
        unsigned const digit = place[row + j];
        bool const there = first + (row + j) * warp_threads < n;
        alike[j] = __ballot_sync(all_lanes, there);
#pragma unroll
        for (unsigned bit = 0; bit < Bits; ++bit) {
          unsigned const ones = __ballot_sync(all_lanes, digit >> bit & 1);
          alike[j] &= digit >> bit & 1 ? ones : ~ones;
        }
        // The first lane of those with equal digits counts for all. Its sum is not needed yet.
        before[j] = 0;
        if (there && (alike[j] & ((1u << lane_id()) - 1)) == 0)
          before[j] = atomicAdd(&counts[digit / 2], std::uint32_t(__popc(alike[j])) << digit % 2 * 16);
        __syncwarp();
      }
#pragma unroll
      for (unsigned j = 0; j < interleaved; ++j) {
        unsigned const digit = place[row + j];
        unsigned const sum = __shfl_sync(all_lanes, before[j], __ffs(int(alike[j])) - 1) >> digit % 2 * 16 & 0xffff;
        place[row + j] = (sum + __popc(alike[j] & ((1u << lane_id()) - 1))) | digit << 16;
      }
    }
  }
};

}  // namespace ordo::inline v0::cuda_detail
