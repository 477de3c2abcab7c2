#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "ordo/spectra/selection.hpp"

namespace ordo::inline v0::spectra::detail {

inline constexpr double rounding_unit = 0x1p-53;  // the largest relative error of one operation
inline constexpr double max_ppm = 500'000;

/// Returns a distance that includes its bound: the m/z of 500 and 500.02 are 0.02 apart, though their doubles may be a little
/// more. A distance of 0 is that of equal numbers alone.
inline double distance_at(tolerance const& of, double mz) {
  double const distance = of.ppm ? mz * of.value * 1e-6 : of.value;
  if (of.value == 0) return distance;
  constexpr double operations = 8;  // more than those from two texts to the comparison of their difference with a third
  double const slack = operations * rounding_unit * (std::abs(mz) + distance);
  return std::isfinite(slack) ? distance + slack : distance;
}

/// Takes intensities; missing ones and those below 0 count as 0. They are multiplied by a power of two, which is exact and
/// changes no cosine, so that no square is too large or too small. @param heights  for each intensity
/// @returns the sum of the squares
inline double scale_intensities(std::span<double const> intensities, std::span<double> heights) {
  double max = 0, sum = 0;
  for (std::size_t i = 0; i < intensities.size(); ++i) {
    heights[i] = intensities[i] > 0 ? intensities[i] : 0;
    max = std::max(max, heights[i]);
  }
  if (max == 0 || std::isinf(max)) return max;
  double const factor = std::ldexp(1.0, std::min(-std::ilogb(max), 1022));
  for (double& height : heights) {
    height *= factor;
    sum += height * height;
  }
  return sum;
}

/// Of pairs of equal products, the one that is taken.
enum class ties { first, last };

/// Pairs the peaks of two spectra greedily, by the products of their heights. One thread at a time.
class greedy_matching {
 public:
  void clear() {
    pairs_.clear();
    total_ = 0;
    is_shifted_ = false;
    is_simple_ = true;
  }

  /// Adds a pair of peaks. Pairs may come in any order.
  void add(double product, std::size_t a, std::size_t b) {
    is_simple_ = is_simple_ && (pairs_.empty() || (a > pairs_.back().a && b > pairs_.back().b));
    pairs_.push_back({product, std::uint32_t(a), std::uint32_t(b), is_shifted_});
    total_ += product;
  }
  /// States that the pairs that follow match after a shift.
  void begin_shifted() { is_shifted_ = true; }

  /// Adds the pairs of peaks, in order, whose m/z differ by no more than far(m/z of the first).
  /// @param zeros  pairs of height 0 count, too
  template <class Far>
  void add(std::span<double const> mz_a, std::span<double const> heights_a, std::span<double const> mz_b,
           std::span<double const> heights_b, double shift, bool zeros, Far far) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < mz_a.size(); ++i) {
      double const distance = far(mz_a[i]), least = mz_a[i] - distance, most = mz_a[i] + distance;
      while (begin < mz_b.size() && mz_b[begin] + shift < least) ++begin;
      for (std::size_t j = begin; j < mz_b.size() && mz_b[j] + shift <= most; ++j) {
        double const product = heights_a[i] * heights_b[j];
        if (zeros || product > 0) add(product, i, j);
      }
    }
  }

  /// Returns a bound that the sum of any matching does not exceed, whatever the sums are rounded to.
  [[nodiscard]] double bound() const noexcept { return total_ * (1 + 4 * double(pairs_.size()) * rounding_unit); }

  struct result {
    double sum = 0;  // sum of products, added from the greatest down
    std::uint64_t matches = 0;
  };
  result match(std::size_t peaks_a, std::size_t peaks_b, ties equal) {
    if (is_simple_) return {sum_of_all(), pairs_.size()};
    std::ranges::sort(pairs_, [=](pair const& x, pair const& y) {
      if (x.product != y.product) return x.product > y.product;
      return equal == ties::first ? x.place() < y.place() : x.place() > y.place();
    });
    used_a_.assign(peaks_a, 0);
    used_b_.assign(peaks_b, 0);
    result found;
    for (pair const& pair : pairs_) {
      if (used_a_[pair.a] || used_b_[pair.b]) continue;
      used_a_[pair.a] = used_b_[pair.b] = 1;
      found.sum += pair.product;
      ++found.matches;
    }
    return found;
  }

 private:
  static constexpr std::size_t max_ranked = 32;
  struct pair {
    double product;
    std::uint32_t a, b;
    bool is_shifted;
    [[nodiscard]] std::tuple<bool, std::uint32_t, std::uint32_t> place() const { return {is_shifted, a, b}; }
  };

  // Returns the sum of pairs that do not exclude each other. Few are put in order by their ranks, which needs no branches.
  [[nodiscard]] double sum_of_all() {
    std::size_t const count = pairs_.size();
    products_.resize(count);
    for (std::size_t i = 0; i < count; ++i) products_[i] = pairs_[i].product;
    double sum = 0;
    if (count > max_ranked) {
      std::ranges::sort(products_, std::greater<>());
      for (double const product : products_) sum += product;
      return sum;
    }
    std::array<double, max_ranked> descending;
    std::array<std::int64_t, max_ranked> before{};
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t greater = 0;
      double const product = products_[i];
      for (std::size_t j = i + 1; j < count; ++j) {
        std::int64_t const is_greater = products_[j] > product ? 1 : 0;
        greater += is_greater;
        before[j] += 1 - is_greater;
      }
      descending[std::size_t(before[i] + greater)] = product;
    }
    for (std::size_t i = 0; i < count; ++i) sum += descending[i];
    return sum;
  }

  std::vector<pair> pairs_;
  double total_ = 0;
  bool is_shifted_ = false;
  bool is_simple_ = true;  // no peak is in two pairs
  std::vector<double> products_;
  std::vector<std::uint8_t> used_a_, used_b_;
};

}  // namespace ordo::inline v0::spectra::detail
