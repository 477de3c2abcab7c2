#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordo/backend.hpp"
#include "ordo/radix_key.hpp"
#include "sort_core/refinement.hpp"
#include "suffix/sort/buffer_sizes.hpp"
#include "suffix/text/compare_letters.hpp"
#include "suffix/text/packed_text.hpp"

// How often a text repeats itself, from a sample of its positions.
namespace ordo::suffix::detail {

/// Position i of a sample, somewhere in the i-th of `size` equal parts of a text of n letters, and the letters there.
template <class Index>
struct sample_position {
  packed_view text;
  std::size_t n, size;
  std::uint64_t* windows;
  Index* positions;

  void operator()(std::size_t i) const {
    std::size_t const begin = part(i), length = part(i + 1) - begin;
    std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9;
    positions[i] = Index(begin + (mixed >> 32) % length);
    windows[i] = text.window(positions[i]);
  }

 private:
  [[nodiscard]] std::size_t part(std::size_t i) const { return n / size * i + n % size * i / size; }
};

/// Do sampled positions i - 1 and i agree in `least` letters? Not those in a run of one letter, which others settle
/// (letter_runs.hpp).
template <class Index>
struct agrees_with_last {
  packed_view text;
  std::size_t least;
  std::uint64_t const* windows;
  Index const* positions;

  bool operator()(std::size_t i) const {
    if (i == 0 || windows[i] != windows[i - 1] || is_uniform(windows[i])) return false;
    std::size_t const p = positions[i - 1], q = positions[i];
    for (std::size_t known = 0; known < least;) {
      letters_compared const now = compare_letters(text, p + known, q + known);
      known += now.agree;
      if (now.differ) return known >= least;
    }
    return true;
  }

 private:
  [[nodiscard]] bool is_uniform(std::uint64_t window) const {
    unsigned const bits = text.letter_bits, last = (64 / bits - 1) * bits;
    return ((window ^ window << bits) >> (64 - last)) == 0;
  }
};

/// Looks for the letters behind sampled positions among the samples.
template <class Index>
struct count_copies {
  static constexpr std::size_t places = 128, few = 64;
  packed_view text;
  std::size_t n, size;
  std::uint64_t const* windows;
  Index const *positions, *chosen;  // of these samples
  double *samples, *copies;         // that have its letters, for each; other suffixes that agree with it, about

  void operator()(std::size_t k) const {
    std::size_t const i = chosen[k], p = positions[i], end = std::min(n, p + places);
    std::size_t others = 0;
    for (std::size_t q = p + 1; q < end; ++q) {
      auto const [begin, behind] = equal(text.window(q));
      std::size_t const count = std::size_t(behind - begin);
      others += count;
      if (count <= few)  // one may be q itself
        others -= std::size_t(std::count(positions + (begin - windows), positions + (behind - windows), Index(q)));
    }
    auto const [begin, behind] = equal(windows[i]);
    samples[k] = double(behind - begin);
    copies[k] = std::max(1.0, double(others) * double(n) / double(size) / places);
  }

 private:
  [[nodiscard]] std::pair<std::uint64_t const*, std::uint64_t const*> equal(std::uint64_t window) const {
    return std::equal_range(windows, windows + size, window);
  }
};

/// How often a text repeats itself.
struct repetition {
  double copies = 0;  // with how many other suffixes one agrees in least_repeat letters or more, on average
  double share = 0;   // of the suffixes that agree so with another one
};
constexpr std::size_t least_repeat = 64;

/// Estimates that of a text of n letters.
template <has_workers B, class Index>
class repetition_estimate {
 public:
  /// Bytes that it takes.
  static std::size_t memory(std::size_t n) {
    std::size_t const size = size_of(n), positions = buffer_sizes::of(size, sizeof(Index));
    return buffer_sizes::of(size, sizeof(std::uint64_t)) + positions +
           std::max(B::radix_sort_memory(size, sizeof(std::uint64_t), sizeof(Index)), positions);
  }

  static repetition of(B& machine, packed_view text, std::size_t n) {
    std::size_t const size = size_of(n);
    if (size == 0) return {};
    auto const windows = machine.template buffer<std::uint64_t>(size);
    auto const positions = machine.template buffer<Index>(size);
    machine.each(size, sample_position<Index>{text, n, size, windows.data(), positions.data()});
    machine.radix_sort(windows.span(), positions.span());
    auto const found = machine.template buffer<Index>(size);
    std::size_t const neighbours =
        machine.select(size, agrees_with_last<Index>{text, least_repeat, windows.data(), positions.data()},
                       ordo::detail::as_index<Index>{}, found.span());

    // Of c samples that share their letters, c (c - 1) / 2 pairs, as many agree in more as of the c - 1 neighbours among them.
    // A suffix that agrees with g others is in g pairs.
    std::size_t const some = std::min(neighbours, most_looked_at);
    for (std::size_t k = 0; k < some; ++k) found.data()[k] = found.data()[k * neighbours / some];
    std::vector<double> samples(some), copies(some);
    machine.each(some, count_copies<Index>{text, n, size, windows.data(), positions.data(), found.data(), samples.data(),
                                           copies.data()});
    double const unit = double(n) / double(size) / double(size) * double(neighbours);
    repetition all;
    for (std::size_t k = 0; k < some; ++k) {
      all.copies += unit * samples[k] / double(some);
      all.share += unit * samples[k] / copies[k] / double(some);
    }
    return all;
  }

 private:
  static constexpr std::size_t most_looked_at = 256;
  /// So many that of suffixes with one other each some hundred pairs are found.
  static std::size_t size_of(std::size_t n) { return std::min(n / 16, std::size_t(16 * std::sqrt(double(n)))); }
};

}  // namespace ordo::suffix::detail
