#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bits.hpp"
#include "base/byte_mask.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/detail/load.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "suffix/text/buffer_sizes.hpp"

// The positions of a text that have a property. One thread reads whole words of the text and returns a bit for each letter:
// select() of the backend takes four times as long for properties that depend on a few bits.
namespace ordo::inline v0::suffix::detail {

constexpr std::size_t letters_in_block = 64;

template <class Answers>
struct ones_of_answers {
  Answers answers;
  ORDO_FN std::size_t operator()(std::size_t b) const { return count_ones(answers(b)); }
};

/// Writes the positions of the ones of block b.
/// @param ends  the number of ones up to the end of each block
template <class Answers, class Index, class End>
struct write_positions {
  Answers answers;
  End const* ends;
  Index* to;

  ORDO_FN void operator()(std::size_t b) const {
    std::uint64_t rest = answers(b);
    for (std::size_t at = ends[b] - count_ones(rest); rest != 0; rest &= rest - 1, ++at)
      to[at] = Index(b * letters_in_block + trailing_zeros(rest));
  }
};

constexpr std::size_t count_blocks(std::size_t letters) {
  return (letters + letters_in_block - 1) / letters_in_block;
}

/// Selects the positions in [0, n) that have a property. answers(b) is called twice for each block of 64 positions; bit k of
/// its result is for position 64 b + k. Memory: sizeof(End) bytes for 64 positions; n must fit an End.
template <Backend B, class End = std::size_t>
class selected_positions {
 public:
  static std::size_t memory(std::size_t n) { return buffer_sizes::of(count_blocks(n), sizeof(End)); }

  selected_positions(B& backend, std::size_t n) : backend_(backend), ends_(backend.template buffer<End>(count_blocks(n))) {}

  /// Returns the number of selected positions.
  template <class Answers>
  std::size_t count(Answers answers) {
    backend_.scan(ends_.size(), ones_of_answers<Answers>{answers}, ends_.span(), plus{});
    return std::size_t(value_at(backend_, ends_.span(), ends_.size() - 1));
  }

  /// Writes the positions that were counted last, in order.
  /// @param to  as many as were counted
  template <class Answers, class Index>
  void write(Answers answers, std::span<Index> to) const {
    backend_.each(ends_.size(), write_positions<Answers, Index, End>{answers, ends_.data(), to.data()});
  }

 private:
  B& backend_;
  buffer<End> ends_;
};

// The positions whose suffixes are sorted, and their numbers, which index arrays of ranks and lengths.

/// All positions; each is its own number.
struct every_position {
  ORDO_FN bool has(std::size_t) const { return true; }
  ORDO_FN std::size_t operator()(std::size_t p) const { return p; }
  /// Returns position k of the set, in order, in a text of n letters.
  ORDO_FN std::size_t at(std::size_t k, std::size_t) const { return k; }
  /// Prefetches array[number of p].
  template <class T>
  ORDO_FN void prefetch(T const* of, std::size_t p) const {
    ordo::prefetch(of + p);
  }
  /// The ranks of positions at a multiple of this distance exist.
  [[nodiscard]] static constexpr std::size_t step() { return 1; }
  /// Calls use(p) for the positions in [begin, end), in order.
  template <class Use>
  void each(std::size_t begin, std::size_t end, Use use) const {
    for (std::size_t p = begin; p < end; ++p) use(p);
  }
};

/// 64 positions of a set, the first one in the highest bit, and the number of positions up to the last of them.
struct set_word {
  std::uint64_t bits, end;
};

/// Adds the number of positions before a word to its own.
struct count_on {
  ORDO_FN set_word operator()(set_word a, set_word b) const { return {b.bits, a.end + b.end}; }
};

/// A set of positions in [0, n] of a text of n letters, in n / 64 + 1 words.
struct numbered_position {
  set_word const* words;
  std::size_t distance;  // see step()
  // Bits of the words that are not empty, if few are: they fit a cache. Or null.
  std::uint64_t const* not_empty = nullptr;

  ORDO_FN bool has(std::size_t p) const {
    if (not_empty && !(not_empty[p / 4096] >> (p / 64 % 64) & 1)) return false;
    return words[p / 64].bits >> (63 - p % 64) & 1;
  }
  /// Returns the number of p, p in [0, n]; if p is not in the set, of the next position that is.
  ORDO_FN std::size_t operator()(std::size_t p) const {
    set_word const word = words[p / 64];
    return word.end - count_ones(word.bits << p % 64);
  }
  /// Returns the first position of the set from p on, which must exist.
  ORDO_FN std::size_t next(std::size_t p) const {
    std::size_t w = p / 64;
    std::uint64_t bits = words[w].bits << p % 64 >> p % 64;
    while (bits == 0) bits = words[++w].bits;
    return 64 * w + leading_zeros(bits);
  }
  /// Returns position k of the set, in order, in a text of n letters. It must exist.
  ORDO_FN std::size_t at(std::size_t k, std::size_t n) const {
    std::size_t low = 0, high = n / 64;  // the first word that ends after k
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (words[middle].end <= k)
        low = middle + 1;
      else
        high = middle;
    }
    std::uint64_t bits = words[low].bits;
    for (std::size_t before = words[low].end - count_ones(bits); before < k; ++before)
      bits &= ~(std::uint64_t{1} << (63 - leading_zeros(bits)));
    return 64 * low + leading_zeros(bits);
  }
  template <class T>
  ORDO_FN void prefetch(T const*, std::size_t p) const {
    ordo::prefetch(words + p / 64);
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

/// Writes word i of the bits of words that are not empty.
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

/// Returns the number of words of a set.
constexpr std::size_t set_words(std::size_t n) {
  return n / 64 + 1;
}

}  // namespace ordo::inline v0::suffix::detail
