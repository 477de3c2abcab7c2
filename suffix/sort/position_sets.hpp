#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"
#include "suffix/sort/select_positions.hpp"

// Which positions of a text have suffixes that are sorted, and their numbers among these, by which arrays of ranks and lengths
// are ordered.
namespace ordo::suffix::detail {

/// All positions: each is its own number.
struct every_position {
  ORDO_FN bool has(std::size_t) const { return true; }
  ORDO_FN std::size_t operator()(std::size_t p) const { return p; }
  /// The first one from p on.
  ORDO_FN std::size_t next(std::size_t p) const { return p; }
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

/// 64 positions of a set, the first one's bit the highest, and how many there are up to the last of them.
struct set_word {
  std::uint64_t bits, end;
};

/// Of two neighbours, the latter, with all that there are.
struct count_on {
  ORDO_FN set_word operator()(set_word a, set_word b) const { return {b.bits, a.end + b.end}; }
};

/// A set of positions in [0, n] of a text of n letters, in n / 64 + 1 words.
struct numbered_position {
  set_word const* words;
  std::size_t distance;  // see step()
  // Of which words any bit is set, where that is so of few: it is soon in a cache. Or none.
  std::uint64_t const* not_empty = nullptr;

  ORDO_FN bool has(std::size_t p) const {
    if (not_empty && !(not_empty[p / 4096] >> (p / 64 % 64) & 1)) return false;
    return words[p / 64].bits >> (63 - p % 64) & 1;
  }
  /// The number of p, p in [0, n]; if it is not in the set, of the next one that is.
  ORDO_FN std::size_t operator()(std::size_t p) const {
    set_word const word = words[p / 64];
    return word.end - count_ones(word.bits << p % 64);
  }
  /// The first one in the set from p on; there is one.
  ORDO_FN std::size_t next(std::size_t p) const {
    std::size_t w = p / 64;
    std::uint64_t bits = words[w].bits << p % 64 >> p % 64;
    while (bits == 0) bits = words[++w].bits;
    return 64 * w + leading_zeros(bits);
  }
  template <class T>
  ORDO_FN void expect(T const*, std::size_t p) const {
    prefetch(words + p / 64);
  }
  [[nodiscard]] std::size_t step() const { return distance; }
  template <class Use>
  void each(std::size_t begin, std::size_t end, Use use) const {
    for (std::size_t w = begin / 64; w * 64 < end; ++w)
      for (std::uint64_t rest = words[w].bits; rest != 0;) {
        std::size_t const p = 64 * w + leading_zeros(rest);
        rest &= ~(std::uint64_t{1} << (63 - p % 64));
        if (p >= begin && p < end) use(p);
      }
  }
};

/// Word i of what says which words of a set are not empty.
struct write_not_empty {
  set_word const* words;
  std::size_t count;
  std::uint64_t* to;
  ORDO_FN void operator()(std::size_t i) const {
    std::uint64_t answers = 0;
    for (std::size_t w = 64 * i; w < 64 * (i + 1) && w < count; ++w) answers |= std::uint64_t(words[w].bits != 0) << (w % 64);
    to[i] = answers;
  }
};

/// Words of such a set.
constexpr std::size_t set_words(std::size_t n) {
  return n / 64 + 1;
}

}  // namespace ordo::suffix::detail
