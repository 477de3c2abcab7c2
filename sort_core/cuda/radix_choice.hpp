#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sort_core/cuda/primitives/sample_places.hpp"
#include "sort_core/cuda/tuning/radix.hpp"
#include "sort_core/cuda/tuning/segmented.cuh"

// The choice between a radix sort from the most significant digit (MSD) and one from the least (LSD). An MSD sort moves a key
// once per level, until its segment fits in a block: twice if keys are evenly distributed, and more often the more uneven they
// are; and blocks are slower if keys are dense in places. An LSD sort moves a key once per digit.
namespace ordo::inline v0::cuda_detail {

/// Estimates the average number of times that an MSD sort from bit `bits` moves an item, times the number of items. It uses a
/// sorted sample of codes, each of which represents `stands_for` items. A level that finds all keys in one digit only counts.
inline double msd_moves(std::span<std::uint64_t const> sample, double stands_for, unsigned bits, double block_capacity) {
  double const items = double(sample.size()) * stands_for;
  if (sample.empty() || items <= block_capacity) return 0;
  unsigned const differing = unsigned(std::bit_width(sample.front() ^ sample.back()));
  if (differing == 0) return items * tuning::count_only;
  unsigned const width = std::min(bits, 8u), shift = bits - width;
  if (differing <= shift) return items * tuning::count_only + msd_moves(sample, stands_for, differing, block_capacity);
  double moves = items;
  for (std::size_t begin = 0, end = 0; begin < sample.size(); begin = end) {
    while (end < sample.size() && sample[end] >> shift == sample[begin] >> shift) ++end;
    // A single key says nothing about those that it represents: they are assumed to be spread evenly over this level's digits.
    double const stand = end - begin == 1 ? std::min(stands_for, items / 256) : stands_for;
    moves += end - begin == 1 && stand > block_capacity
                 ? stands_for
                 : msd_moves(sample.subspan(begin, end - begin), stand, shift, block_capacity);
  }
  return moves;
}

/// Counts, for each bit, the words f(words[0]), f(words[stride]), ... that have it. Sums are bytes, for eight bits at a time.
template <class F = std::identity>
std::array<std::uint32_t, 64> count_ones(std::span<std::uint64_t const> words, std::size_t stride, F f = {}) {
  constexpr std::uint64_t lowest = 0x0101010101010101;  // bit of each byte
  std::array<std::uint32_t, 64> ones{};
  for (std::size_t i = 0; i < words.size();) {
    std::array<std::uint64_t, 8> sums{};  // byte b of sums[j] counts bit 8 b + j
    for (unsigned added = 0; added < 255 && i < words.size(); ++added, i += stride) {
      std::uint64_t const word = f(words[i]);
      for (unsigned j = 0; j < 8; ++j) sums[j] += word >> j & lowest;
    }
    for (unsigned bit = 0; bit < 64; ++bit) ones[bit] += sums[bit % 8] >> bit / 8 * 8 & 255;
  }
  return ones;
}

/// Returns the share of keys in the fullest eighth of their range, divided by an eighth. @param sample  sorted
inline double densest_eighth(std::span<std::uint64_t const> sample) {
  std::uint64_t const width = (sample.back() - sample.front()) / 8 + 1;
  std::array<std::size_t, 8> in_eighth{};
  for (std::uint64_t const x : sample) ++in_eighth[(x - sample.front()) / width];
  return 8 * double(*std::max_element(in_eighth.begin(), in_eighth.end())) / double(sample.size());
}

/// The keys of a sample whose bits are examined: about `wanted`, one in `stride`.
struct looked_at {
  std::size_t stride, keys;
  looked_at(std::span<std::uint64_t const> sample, std::size_t wanted)
      : stride(std::max<std::size_t>(1, sample.size() / wanted)), keys((sample.size() + stride - 1) / stride) {}
};

/// Returns the number of distinct keys. @param sample  sorted
inline std::size_t distinct_keys(std::span<std::uint64_t const> sample) {
  std::size_t distinct = !sample.empty();
  for (std::size_t i = 1; i < sample.size(); ++i) distinct += sample[i] != sample[i - 1];
  return distinct;
}

/// Returns true if some keys occur much more often than others, or most bits in which keys differ are much more often 0 than 1,
/// or 1 than 0. Such keys are dense in places on every level, and blocks must sort them bit by bit, unless there are very few
/// distinct ones.
/// @param sample  sorted
/// @param few     the number of distinct keys up to which keys do not count as skewed
inline bool skewed(std::span<std::uint64_t const> sample, std::size_t few) {
  std::size_t const distinct = distinct_keys(sample);
  if (distinct <= few) return false;
  if ((sample.size() - distinct) * tuning::repeated_in > sample.size()) return true;
  looked_at const some(sample, tuning::keys_for_bits);
  std::size_t differ = 0, uneven = 0;
  for (std::size_t const count : count_ones(sample, some.stride)) {
    std::size_t const rarer = std::min(count, some.keys - count);
    differ += rarer != 0;
    uneven += rarer != 0 && double(rarer) < tuning::even_bit * double(some.keys);
  }
  return 2 * uneven > differ;
}

/// Returns the number of low bits in which the keys of a sample differ. @param sample  sorted
inline unsigned differing_width(std::span<std::uint64_t const> sample) {
  return sample.empty() ? 64 : unsigned(std::bit_width(sample.front() ^ sample.back()));
}

/// Returns how many of the lowest `left` bits are correlated with a bit above these: the two differ much less or much more
/// often than by chance. If so, keys that agree in their upper bits are dense in places, however even each bit is. An example
/// are the row and the column of entries near a matrix's diagonal. @param sample  sorted
inline unsigned correlated_bits(std::span<std::uint64_t const> sample, unsigned left) {
  looked_at const some(sample, tuning::keys_for_correlation);
  auto const share = [&](std::uint32_t count) { return double(count) / double(some.keys); };
  auto const ones = count_ones(sample, some.stride);
  unsigned const width = differing_width(sample);
  std::uint64_t correlated = 0;
  for (unsigned apart = 1; apart < width; ++apart) {
    auto const differing = count_ones(sample, some.stride, [=](std::uint64_t key) { return key ^ key >> apart; });
    for (unsigned bit = left - std::min(left, apart); bit < left && bit + apart < width; ++bit) {
      double const here = share(ones[bit]), other = share(ones[bit + apart]), by_chance = here + other - 2 * here * other;
      if (std::abs(share(differing[bit]) - by_chance) >= tuning::correlation_share) correlated |= std::uint64_t{1} << bit;
    }
  }
  return unsigned(std::popcount(correlated));
}

/// A sort of n items by `bits` of their keys.
struct radix_task {
  std::size_t n, block_capacity;  // items; items that fit in a block
  unsigned bits;
  std::size_t key_bytes, value_bytes;
  bool encoded, floats;  // keys differ from their codes; keys are floating-point
  bool copied = false;   // an MSD sort copies the items first, because they are sorted into another array

  [[nodiscard]] tuning::radix_limits limits() const { return tuning::msd_limits(key_bytes, value_bytes, encoded, floats); }
  /// Returns the number of moves up to which an MSD sort pays.
  [[nodiscard]] double worth() const {
    return limits().worth * bits / double(8 * key_bytes) - (copied ? tuning::copy_moves : 0);
  }
  /// Returns how many more digits 64-bit keys may lack before MSD pays only for even ones: an LSD sort has as many fewer moves.
  [[nodiscard]] double digits_to_spare() const {
    double const less = (8 * double(key_bytes) - double(bits)) / 8;
    return key_bytes > 4 ? std::max(0.0, tuning::digits_of_slack - less) : tuning::digits_of_slack;
  }
  /// Returns the number of moves, beyond those of evenly distributed keys, up to which an MSD sort pays.
  [[nodiscard]] double slack() const {
    double const all = limits().slack, share = digits_to_spare() / tuning::digits_of_slack;
    return std::max(all * share, std::min(all, tuning::min_slack));
  }
  /// Returns the limit on densest_eighth.
  [[nodiscard]] double densest() const { return digits_to_spare() > 0 ? limits().densest : tuning::min_densest; }
  /// Returns the number of moves that evenly distributed keys need.
  [[nodiscard]] double even() const { return double((unsigned(std::bit_width(n / block_capacity)) + 7) / 8); }

  /// Returns the number of bits by which evenly distributed keys are partitioned before blocks sort the rest.
  [[nodiscard]] unsigned partitioned_bits() const {
    return std::min(unsigned(8 * even()), unsigned(std::bit_width(n / tuning::divided_length)));
  }
  /// Returns true if blocks sort the lowest `left` bits by counting. Then keys may be dense there.
  [[nodiscard]] bool counted(unsigned left) const {
    std::size_t const keys = n >> partitioned_bits();
    return value_bytes == 0 && left < 32 && keys * tuning::sparse_numbers <= std::size_t{1} << left &&
           keys * tuning::counted_numbers >= std::size_t{1} << left;
  }
};

/// Returns true if an MSD sort may be faster for some keys.
inline bool msd_may_be_quicker(radix_task const& task) {
  return task.even() <= task.worth();
}

/// Returns true if an MSD sort is faster. @param sample  sorted codes of some keys, from all over the array
inline bool msd_is_quicker(std::span<std::uint64_t const> sample, radix_task const& task) {
  if (sample.empty()) return true;
  // Many keys of each number in a small range: an LSD sort has few digits, and blocks would find few distinct keys.
  if (unsigned const width = differing_width(sample); width % 64 != 0 && task.n >> width >= tuning::of_each_number)
    return false;
  if (skewed(sample, task.limits().few)) return false;
  if (sample.front() != sample.back() && densest_eighth(sample) > task.densest()) return false;
  double const moves =
      msd_moves(sample, double(task.n) / double(sample.size()), unsigned(8 * task.key_bytes), double(task.block_capacity)) /
      double(task.n);
  if (moves > std::min(task.worth(), task.even() + task.slack())) return false;
  // 64-bit keys gain enough that blocks may be slower.
  unsigned const width = differing_width(sample), left = width - std::min(width, task.partitioned_bits());
  return task.key_bytes > 4 || task.counted(left) || distinct_keys(sample) <= task.limits().few ||
         correlated_bits(sample, left) <= tuning::max_correlated_bits;
}

}  // namespace ordo::inline v0::cuda_detail
