#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/cuda/tuning/radix.hpp"

// Whether an array of keys is sorted from the uppermost digit down, or by passes from the lowest up. Downwards every key is
// moved as often as the segments that it falls into are too long for a block: twice where keys are evenly distributed,
// more often the more unevenly they are. Upwards it is moved once for every digit that keys have.
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

/// @param sample   codes of some keys of the array, spread over all of it; is sorted
/// @param n        length of the array
/// @param on_chip  items that a block holds
/// @param bits     of a key, that count
inline bool downwards_is_quicker(std::span<std::uint64_t> sample, std::size_t n, std::size_t on_chip, unsigned bits,
                                 std::size_t key_bytes, std::size_t value_bytes) {
  if (sample.empty()) return true;
  std::sort(sample.begin(), sample.end());
  auto const key_bits = unsigned(8 * key_bytes);
  double const moves = moves_downwards(sample, double(n) / double(sample.size()), key_bits, double(on_chip)) / double(n);
  auto const even = double((unsigned(std::bit_width(n / on_chip)) + 7) / 8);
  auto const limits = tuning::downwards_limits(key_bytes, value_bytes);
  return moves <= std::min(limits.worth * bits / key_bits, even + limits.slack);
}

}  // namespace ordo::detail
