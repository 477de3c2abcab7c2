#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "ordo/detail/fn.hpp"
#include "sort_core/cuda/tuning/radix.hpp"
#include "sort_core/cuda/tuning/segmented.cuh"

// Whether an array of keys is sorted from the most significant digit (MSD) or from the least (LSD). An MSD sort moves every
// key as often as the segments that it falls into are too long for a block: twice where keys are evenly distributed, more
// often the more unevenly they are; and blocks are slow where keys crowd. An LSD sort moves it once for every digit that keys
// have.
namespace ordo::cuda_detail {

/// Where in its stride key i of a sample lies: at so much of it as i times the golden ratio has behind the point. Of an array
/// in order, bits of i then tell none of the keys' lower bits.
ORDO_FN inline std::size_t place_in_stride(std::size_t i, std::size_t stride) {
  return std::size_t(std::uint64_t{std::uint32_t(i * 2654435761u)} * stride >> 32);
}

/// How often an MSD sort from bit `bits` moves an item, on average, times the items in question: estimated from a sorted
/// sample of their codes, each standing for `stands_for` of them. A level that finds all keys in one digit only counts.
inline double msd_moves(std::span<std::uint64_t const> sample, double stands_for, unsigned bits, double on_chip) {
  double const items = double(sample.size()) * stands_for;
  if (sample.empty() || items <= on_chip) return 0;
  unsigned const differing = unsigned(std::bit_width(sample.front() ^ sample.back()));
  if (differing == 0) return items * tuning::count_only;
  unsigned const width = std::min(bits, 8u), shift = bits - width;
  if (differing <= shift) return items * tuning::count_only + msd_moves(sample, stands_for, differing, on_chip);
  double moves = items;
  for (std::size_t begin = 0, end = 0; begin < sample.size(); begin = end) {
    while (end < sample.size() && sample[end] >> shift == sample[begin] >> shift) ++end;
    // One key tells nothing of those that it stands for: they are taken to be spread evenly over this level's digits.
    double const stand = end - begin == 1 ? std::min(stands_for, items / 256) : stands_for;
    moves +=
        end - begin == 1 && stand > on_chip ? stands_for : msd_moves(sample.subspan(begin, end - begin), stand, shift, on_chip);
  }
  return moves;
}

/// How many of f(words[0]), f(words[stride]), ... have each bit: they are summed in bytes, eight bits at a time.
template <class F = std::identity>
std::array<std::uint32_t, 64> count_ones(std::span<std::uint64_t const> words, std::size_t stride, F f = {}) {
  constexpr std::uint64_t lowest = 0x0101010101010101;  // of each byte
  std::array<std::uint32_t, 64> ones{};
  for (std::size_t i = 0; i < words.size();) {
    std::array<std::uint64_t, 8> sums{};  // byte b of sums[j] is of bit 8 b + j
    for (unsigned added = 0; added < 255 && i < words.size(); ++added, i += stride) {
      std::uint64_t const word = f(words[i]);
      for (unsigned j = 0; j < 8; ++j) sums[j] += word >> j & lowest;
    }
    for (unsigned bit = 0; bit < 64; ++bit) ones[bit] += sums[bit % 8] >> bit / 8 * 8 & 255;
  }
  return ones;
}

/// How many times its share does the fullest eighth of the keys' range hold? @param sample  sorted
inline double densest_eighth(std::span<std::uint64_t const> sample) {
  std::uint64_t const width = (sample.back() - sample.front()) / 8 + 1;
  std::array<std::size_t, 8> in_eighth{};
  for (std::uint64_t const x : sample) ++in_eighth[(x - sample.front()) / width];
  return 8 * double(*std::max_element(in_eighth.begin(), in_eighth.end())) / double(sample.size());
}

/// Keys of a sample whose bits are looked at, about `wanted`: one in `stride`.
struct looked_at {
  std::size_t stride, keys;
  looked_at(std::span<std::uint64_t const> sample, std::size_t wanted)
      : stride(std::max<std::size_t>(1, sample.size() / wanted)), keys((sample.size() + stride - 1) / stride) {}
};

/// @param sample  sorted
inline std::size_t distinct_keys(std::span<std::uint64_t const> sample) {
  std::size_t distinct = !sample.empty();
  for (std::size_t i = 1; i < sample.size(); ++i) distinct += sample[i] != sample[i - 1];
  return distinct;
}

/// Are some keys much repeated among others, or are most bits in which keys differ much more often 0 than 1, or 1 than 0?
/// Such keys crowd wherever they are looked at closely, and blocks have to sort them bit by bit; but for very few ones.
/// @param sample  sorted
/// @param few     distinct keys that do not count as such
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

/// Bits, from the lowest on, that the keys of a sample differ in. @param sample  sorted
inline unsigned width_of(std::span<std::uint64_t const> sample) {
  return sample.empty() ? 64 : unsigned(std::bit_width(sample.front() ^ sample.back()));
}

/// How many of the lowest `left` bits are told by a bit above these: the two differ much more seldom or much more often than
/// chance would have it. If so, keys that agree in their upper bits crowd, however even each bit is: so do row and column of
/// what is near a matrix's diagonal. @param sample  sorted
inline unsigned told_bits(std::span<std::uint64_t const> sample, unsigned left) {
  looked_at const some(sample, tuning::keys_for_telling);
  auto const share = [&](std::uint32_t count) { return double(count) / double(some.keys); };
  auto const ones = count_ones(sample, some.stride);
  unsigned const width = width_of(sample);
  std::uint64_t told = 0;
  for (unsigned apart = 1; apart < width; ++apart) {
    auto const differing = count_ones(sample, some.stride, [=](std::uint64_t key) { return key ^ key >> apart; });
    for (unsigned bit = left - std::min(left, apart); bit < left && bit + apart < width; ++bit) {
      double const one = share(ones[bit]), other = share(ones[bit + apart]), by_chance = one + other - 2 * one * other;
      if (std::abs(share(differing[bit]) - by_chance) >= tuning::telling_share) told |= std::uint64_t{1} << bit;
    }
  }
  return unsigned(std::popcount(told));
}

/// A sort of n items by `bits` of their keys.
struct radix_task {
  std::size_t n, on_chip;  // items; and how many of them a block holds
  unsigned bits;
  std::size_t key_bytes, value_bytes;
  bool encoded, floats;  // are keys not their own codes? are they floats?

  [[nodiscard]] tuning::radix_limits limits() const { return tuning::msd_limits(key_bytes, value_bytes, encoded, floats); }
  /// Moves that pay.
  [[nodiscard]] double worth() const { return limits().worth * bits / double(8 * key_bytes); }
  /// Digits that long keys may still have less until only even ones go down: an LSD sort has so many less to move.
  [[nodiscard]] double digits_to_spare() const {
    double const less = (8 * double(key_bytes) - double(bits)) / 8;
    return key_bytes > 4 ? std::max(0.0, tuning::digits_of_slack - less) : tuning::digits_of_slack;
  }
  /// Moves that pay beyond those of evenly distributed keys.
  [[nodiscard]] double slack() const {
    double const all = limits().slack, share = digits_to_spare() / tuning::digits_of_slack;
    return std::max(all * share, std::min(all, tuning::least_slack));
  }
  /// How many times its share may an eighth of the range hold?
  [[nodiscard]] double densest() const { return digits_to_spare() > 0 ? limits().densest : tuning::least_densest; }
  /// Moves that evenly distributed keys need.
  [[nodiscard]] double even() const { return double((unsigned(std::bit_width(n / on_chip)) + 7) / 8); }

  /// Bits that are sorted by before blocks get what agrees in them, if keys are evenly distributed.
  [[nodiscard]] unsigned partitioned_bits() const {
    return std::min(unsigned(8 * even()), unsigned(std::bit_width(n / tuning::divided_length)));
  }
  /// Do blocks count the numbers that the lowest `left` bits are? Then these may crowd.
  [[nodiscard]] bool counted(unsigned left) const {
    std::size_t const keys = n >> partitioned_bits();
    return value_bytes == 0 && left < 32 && keys * tuning::sparse_numbers <= std::size_t{1} << left &&
           keys * tuning::counted_numbers >= std::size_t{1} << left;
  }
};

/// May an MSD sort be quicker, whatever the keys?
inline bool msd_may_be_quicker(radix_task const& task) {
  return task.even() <= task.worth();
}

/// @param sample  codes of some keys of the array, spread over all of it, in order
inline bool msd_is_quicker(std::span<std::uint64_t const> sample, radix_task const& task) {
  if (sample.empty()) return true;
  // Many of each number in a small range: an LSD sort has few digits, and blocks would find few kinds of keys.
  if (unsigned const width = width_of(sample); width % 64 != 0 && task.n >> width >= tuning::of_each_number) return false;
  if (skewed(sample, task.limits().few)) return false;
  if (sample.front() != sample.back() && densest_eighth(sample) > task.densest()) return false;
  double const moves =
      msd_moves(sample, double(task.n) / double(sample.size()), unsigned(8 * task.key_bytes), double(task.on_chip)) /
      double(task.n);
  if (moves > std::min(task.worth(), task.even() + task.slack())) return false;
  // Longer keys have so much to win that blocks may take their time.
  unsigned const width = width_of(sample), left = width - std::min(width, task.partitioned_bits());
  return task.key_bytes > 4 || task.counted(left) || distinct_keys(sample) <= task.limits().few ||
         told_bits(sample, left) <= tuning::most_told_bits;
}

}  // namespace ordo::cuda_detail
