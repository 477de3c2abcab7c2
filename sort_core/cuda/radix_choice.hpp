#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/cuda/tuning/radix.hpp"

// Whether an array of keys is sorted from the uppermost digit down, or by passes from the lowest up. Downwards every key is
// moved as often as the segments that it falls into are too long for a block: twice where keys are evenly distributed,
// more often the more unevenly they are; and blocks are slow where keys crowd. Upwards it is moved once for every digit that
// keys have.
namespace ordo::detail {

/// How often an item is moved on its way down from bit `bits`, on average, times the items in question: told from a sorted
/// sample of their codes, each standing for `stands_for` of them. A level that finds all keys in one digit only counts.
inline double moves_downwards(std::span<std::uint64_t const> sample, double stands_for, unsigned bits, double on_chip) {
  double const items = double(sample.size()) * stands_for;
  if (sample.empty() || items <= on_chip) return 0;
  unsigned const differing = unsigned(std::bit_width(sample.front() ^ sample.back()));
  if (differing == 0) return items * tuning::count_only;
  unsigned const width = std::min(bits, 8u), shift = bits - width;
  if (differing <= shift) return items * tuning::count_only + moves_downwards(sample, stands_for, differing, on_chip);
  double moves = items;
  for (std::size_t begin = 0, end = 0; begin < sample.size(); begin = end) {
    while (end < sample.size() && sample[end] >> shift == sample[begin] >> shift) ++end;
    // One key tells nothing of those that it stands for: they are taken to be spread evenly over this level's digits.
    double const stand = end - begin == 1 ? std::min(stands_for, items / 256) : stands_for;
    moves += end - begin == 1 && stand > on_chip ? stands_for
                                                 : moves_downwards(sample.subspan(begin, end - begin), stand, shift, on_chip);
  }
  return moves;
}

/// Do some keys come again and again among others, or are most bits in which keys differ much more often 0 than 1, or 1 than 0?
/// Such keys crowd wherever they are looked at closely, and blocks have to sort them bit by bit; but for very few ones.
/// @param sample  sorted
inline bool skewed(std::span<std::uint64_t const> sample) {
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < sample.size(); ++i) distinct += sample[i] != sample[i - 1];
  if (distinct <= tuning::few_keys) return false;
  if ((sample.size() - distinct) * tuning::repeated_in > sample.size()) return true;
  std::array<std::uint16_t, 64> ones{};
  std::size_t const apart = std::max<std::size_t>(1, sample.size() / tuning::keys_for_bits);
  std::size_t keys = 0;
  for (std::size_t i = 0; i < sample.size(); i += apart, ++keys)
    for (unsigned bit = 0; bit < 64; ++bit) ones[bit] = std::uint16_t(ones[bit] + (sample[i] >> bit & 1));
  std::size_t differ = 0, uneven = 0;
  for (std::size_t count : ones) {
    std::size_t const rarer = std::min(count, keys - count);
    differ += rarer != 0;
    uneven += rarer != 0 && double(rarer) < tuning::even_bit * double(keys);
  }
  return 2 * uneven > differ;
}

/// @param sample   codes of some keys of the array, spread over all of it; is sorted
/// @param n        length of the array
/// @param on_chip  items that a block holds
/// @param bits     of a key, that count
inline bool downwards_is_quicker(std::span<std::uint64_t> sample, std::size_t n, std::size_t on_chip, unsigned bits,
                                 std::size_t key_bytes, std::size_t value_bytes) {
  if (sample.empty()) return true;
  std::sort(sample.begin(), sample.end());
  if (skewed(sample)) return false;
  auto const key_bits = unsigned(8 * key_bytes);
  double const moves = moves_downwards(sample, double(n) / double(sample.size()), key_bits, double(on_chip)) / double(n);
  auto const even = double((unsigned(std::bit_width(n / on_chip)) + 7) / 8);
  auto const limits = tuning::downwards_limits(key_bytes, value_bytes);
  return moves <= std::min(limits.worth * bits / key_bits, even + limits.slack);
}

}  // namespace ordo::detail
