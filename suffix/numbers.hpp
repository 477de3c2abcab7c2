#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sort_core/bits.hpp"
#include "sort_core/fn.hpp"
#include "sort_core/load.hpp"
#include "suffix/select_positions.hpp"

// Which positions of a text have suffixes that are sorted, and their numbers among these, by which arrays of ranks and lengths
// are ordered.
namespace ordo::suffix::detail {

/// All positions: each is its own number.
struct every_position {
  ORDO_FN bool has(std::size_t) const { return true; }
  ORDO_FN std::size_t operator()(std::size_t p) const { return p; }
  /// of[number of p] will soon be read.
  template <class T>
  ORDO_FN void expect(T const* of, std::size_t p) const {
    prefetch(of + p);
  }
  /// Positions may be compared by the ranks of those that lie a multiple of this behind them.
  [[nodiscard]] static constexpr std::size_t step() { return 1; }
  /// use(p) for those of [begin, end), in order.
  template <class Use>
  void each(std::size_t begin, std::size_t end, Use use) const {
    for (std::size_t p = begin; p < end; ++p) use(p);
  }
};

/// Every step-th position of each record, and the end of the text: a set as position_set, of one word more than has letters.
template <class Index>
struct sampled_position {
  std::uint64_t const* words;
  Index const* ends;  // how many there are up to each word's end
  std::size_t distance;

  ORDO_FN bool has(std::size_t p) const { return words[p / 64] >> (63 - p % 64) & 1; }
  /// The number of p, p in [0, n]; if it is not in the set, of the next one that is.
  ORDO_FN std::size_t operator()(std::size_t p) const { return ends[p / 64] - count_ones(words[p / 64] << p % 64); }
  template <class T>
  ORDO_FN void expect(T const*, std::size_t p) const {
    prefetch(words + p / 64);
    prefetch(ends + p / 64);
  }
  [[nodiscard]] std::size_t step() const { return distance; }
  template <class Use>
  void each(std::size_t begin, std::size_t end, Use use) const {
    for (std::size_t w = begin / 64; w * 64 < end; ++w)
      for (std::uint64_t rest = words[w]; rest != 0;) {
        std::size_t const p = 64 * w + leading_zeros(rest);
        rest &= ~(std::uint64_t{1} << (63 - p % 64));
        if (p >= begin && p < end) use(p);
      }
  }
};

}  // namespace ordo::suffix::detail
