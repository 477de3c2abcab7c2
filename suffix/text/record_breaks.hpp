#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bits.hpp"
#include "ordo/backend.hpp"
#include "ordo/detail/load.hpp"

// Where the records of a text begin and end, as algorithms ask for it.
namespace ordo::suffix::detail {

/// 64 bits of a stream of words, from bit `at` on; the stream's first bit is the highest of its first word. Reads the word
/// behind, too.
ORDO_FN inline std::uint64_t bits_from(std::uint64_t const* words, std::size_t at) {
  unsigned const skip = unsigned(at % 64);
  return words[at / 64] << skip | words[at / 64 + 1] >> 1 >> (63 - skip);
}

/// Where records begin and the text ends: bit p of the stream. Reads may run one word over. Most of a genome is far from all of
/// them, and what says so is small enough for a cache: bit k of `near` is of 4096 positions from 4096 k on, and the 128 behind.
struct break_mask {
  static constexpr std::size_t block = 4096, beyond = 128;
  std::uint64_t const *words, *near;

  ORDO_FN bool operator()(std::size_t p) const { return may_be_near(p) && (words[p / 64] >> (63 - p % 64) & 1); }
  /// Positions from p to the first break at or behind p; 64 if there are more.
  ORDO_FN unsigned distance(std::size_t p) const { return may_be_near(p) ? leading_zeros(bits_from(words, p)) : 64; }
  /// Is it certain that there is none in [p, p + 64)?
  ORDO_FN bool are_far(std::size_t p) const { return !may_be_near(p) || (words[p / 64] | words[p / 64 + 1]) == 0; }
  /// The positions from p on will soon be asked for.
  ORDO_FN void expect(std::size_t p) const {
    if (may_be_near(p)) prefetch(words + p / 64);
  }

 private:
  ORDO_FN bool may_be_near(std::size_t p) const { return near[p / block / 64] >> (p / block % 64) & 1; }
};

/// Writes bound r of `records` records.
struct write_bounds {
  std::uint64_t const* starts;  // none for one record
  std::size_t records, n;
  std::uint64_t* bounds;
  ORDO_FN void operator()(std::size_t r) const { bounds[r] = r == 0 ? 0 : r == records ? n : starts[r]; }
};

/// The first of `count` ascending bounds that is not before p; count if there is none.
ORDO_FN inline std::size_t first_bound(std::uint64_t const* bounds, std::size_t count, std::size_t p) {
  std::size_t low = 0, high = count;
  while (low < high) {
    std::size_t const middle = low + (high - low) / 2;
    if (bounds[middle] < p)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Writes word w of a break mask.
struct mark_breaks {
  std::uint64_t const* bounds;
  std::size_t count;
  std::uint64_t* words;

  ORDO_FN void operator()(std::size_t w) const {
    std::uint64_t word = 0;
    for (std::size_t at = first_bound(bounds, count, 64 * w); at < count && bounds[at] < 64 * (w + 1); ++at)
      word |= std::uint64_t{1} << (63 - bounds[at] % 64);
    words[w] = word;
  }
};

struct clear_word {
  std::uint64_t* words;
  ORDO_FN void operator()(std::size_t w) const { words[w] = 0; }
};

/// Says of bound r where it is near.
struct mark_near_break {
  std::uint64_t const* bounds;
  std::uint64_t* words;

  ORDO_FN void operator()(std::size_t r) const {
    std::size_t const block = bounds[r] / break_mask::block;
    mark(block);
    if (block != 0 && bounds[r] % break_mask::block < break_mask::beyond) mark(block - 1);
  }

 private:
  ORDO_FN void mark(std::size_t block) const { or_relaxed(&words[block / 64], std::uint64_t{1} << (block % 64)); }
};

/// The bounds of a text's records on a machine.
template <Backend B>
class record_breaks {
 public:
  /// Of n residues. @param starts  as those of a text
  record_breaks(B& machine, std::size_t n, std::span<std::uint64_t const> starts)
      : bounds_(machine.template buffer<std::uint64_t>(std::max<std::size_t>(starts.size(), 1) + 1)),
        words_(machine.template buffer<std::uint64_t>(n / 64 + 2)),
        near_(machine.template buffer<std::uint64_t>(near_words(n))) {
    auto const uploaded = machine.upload(starts);
    machine.each(bounds_.size(), write_bounds{uploaded.data(), bounds_.size() - 1, n, bounds_.data()});
    machine.each(words_.size(), mark_breaks{bounds_.data(), bounds_.size(), words_.data()});
    machine.each(near_.size(), clear_word{near_.data()});
    machine.each(bounds_.size(), mark_near_break{bounds_.data(), near_.data()});
  }

  /// Words that say where breaks may be near.
  static constexpr std::size_t near_words(std::size_t n) { return n / break_mask::block / 64 + 1; }

  [[nodiscard]] break_mask mask() const { return {words_.data(), near_.data()}; }
  /// Where each record begins, and where the last one ends.
  [[nodiscard]] std::span<std::uint64_t const> bounds() const { return bounds_.span(); }

 private:
  buffer<std::uint64_t> bounds_, words_, near_;
};

}  // namespace ordo::suffix::detail
