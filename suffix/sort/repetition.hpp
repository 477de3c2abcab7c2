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
#include "sort_core/algorithms/refinement.hpp"
#include "suffix/text/buffer_sizes.hpp"
#include "suffix/text/packed_text.hpp"

// An estimate of how repetitive a text is, from a sample of its positions.
namespace ordo::inline v0::suffix::detail {

/// Samples a position in the i-th of `size` equal parts of a text of n letters, and its letters.
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

/// Returns true if samples i - 1 and i agree in `min_length` letters. Ignores runs of one letter, which letter_runs.hpp
/// settles.
template <class Index>
struct agrees_with_last {
  packed_view text;
  std::size_t min_length;
  std::uint64_t const* windows;
  Index const* positions;

  bool operator()(std::size_t i) const {
    if (i == 0 || windows[i] != windows[i - 1] || is_uniform(windows[i])) return false;
    std::size_t const p = positions[i - 1], q = positions[i];
    for (std::size_t known = 0; known < min_length;) {
      letters_compared const now = compare_letters(text, p + known, q + known);
      known += now.agree;
      if (now.differ) return known >= min_length;
    }
    return true;
  }

 private:
  [[nodiscard]] bool is_uniform(std::uint64_t window) const {
    unsigned const bits = text.letter_bits, last = (64 / bits - 1) * bits;
    return text.may_have_runs() && ((window ^ window << bits) >> (64 - last)) == 0;
  }
};

/// Searches the samples for the letters after sampled positions.
template <class Index>
struct count_copies {
  static constexpr std::size_t places = 128, few = 64;
  packed_view text;
  std::size_t n, size;
  std::uint64_t const* windows;
  Index const *positions, *chosen;  // these samples
  double *samples,
      *copies;  // for each one, the samples with the same letters; the estimated number of other suffixes that agree with it

  void operator()(std::size_t k) const {
    std::size_t const i = chosen[k], p = positions[i], end = std::min(n, p + places);
    std::size_t others = 0;
    for (std::size_t q = p + 1; q < end; ++q) {
      auto const [begin, after] = equal(text.window(q));
      std::size_t const count = std::size_t(after - begin);
      others += count;
      if (count <= few)  // one may be q itself
        others -= std::size_t(std::count(positions + (begin - windows), positions + (after - windows), Index(q)));
    }
    auto const [begin, after] = equal(windows[i]);
    samples[k] = double(after - begin);
    copies[k] = std::max(1.0, double(others) * double(n) / double(size) / places);
  }

 private:
  [[nodiscard]] std::pair<std::uint64_t const*, std::uint64_t const*> equal(std::uint64_t window) const {
    return std::equal_range(windows, windows + size, window);
  }
};

/// The repetitiveness of a text.
struct repetition {
  double copies = 0;  // average number of other suffixes that agree with a suffix in at least min_repeat letters
  double share = 0;   // share of the suffixes that agree with another one
};
constexpr std::size_t min_repeat = 64;

/// Estimates the repetition of a text of n letters.
template <has_workers B, class Index>
class repetition_estimate {
 public:
  /// Returns the temporary memory in bytes.
  static std::size_t memory(std::size_t n) {
    std::size_t const size = sample_size(n), positions = buffer_sizes::of(size, sizeof(Index));
    return buffer_sizes::of(size, sizeof(std::uint64_t)) + positions +
           std::max(B::radix_sort_memory(size, sizeof(std::uint64_t), sizeof(Index)), positions);
  }

  static repetition of(B& backend, packed_view text, std::size_t n) {
    std::size_t const size = sample_size(n);
    if (size == 0) return {};
    auto const windows = backend.template buffer<std::uint64_t>(size);
    auto const positions = backend.template buffer<Index>(size);
    backend.each(size, sample_position<Index>{text, n, size, windows.data(), positions.data()});
    backend.radix_sort(windows.span(), positions.span());
    auto const result = backend.template buffer<Index>(size);
    std::size_t const neighbours =
        backend.select(size, agrees_with_last<Index>{text, min_repeat, windows.data(), positions.data()},
                       ordo::detail::as_index<Index>{}, result.span());

    // Let c samples share their letters. Among their c (c - 1) / 2 pairs, the share of those that agree in more letters is
    // taken to be that of the c - 1 adjacent pairs. A suffix that agrees with g others is in g pairs.
    std::size_t const some = std::min(neighbours, max_looked_at);
    for (std::size_t k = 0; k < some; ++k) result.data()[k] = result.data()[k * neighbours / some];
    std::vector<double> samples(some), copies(some);
    backend.each(some, count_copies<Index>{text, n, size, windows.data(), positions.data(), result.data(), samples.data(),
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
  static constexpr std::size_t max_looked_at = 256;
  /// Large enough to find about a hundred pairs if each suffix has one copy.
  static std::size_t sample_size(std::size_t n) { return std::min(n / 16, std::size_t(16 * std::sqrt(double(n)))); }
};

}  // namespace ordo::inline v0::suffix::detail
