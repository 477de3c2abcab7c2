#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace ordo::inline v0::spectra::detail {

/// The peaks of one spectrum by bins of m/z, to find those that the peaks of many other spectra may match. A lookup of a peak
/// does not depend on the one before, where merging two lists waits for each comparison. 128 KiB. One thread at a time.
class peak_bins {
 public:
  /// Replaces all peaks. @param mz  in ascending order @param width  the width of a bin, above 0
  /// @param far  the distance of an m/z within which another one may match
  /// @returns false if there are too many peaks, or they match within too many bins: the table is empty then
  template <class Far>
  bool fill(std::span<double const> mz, double width, Far far) {
    clear();
    if (mz.size() > std::numeric_limits<std::uint16_t>::max() - 1) return false;
    per_mz_ = 1 / width;
    begins_.resize(mz.size());
    std::int64_t const max_touched = std::int64_t(16 * mz.size()) + 64;
    std::int64_t touched = 0;
    double first_begin = std::numeric_limits<double>::infinity();
    for (std::size_t i = mz.size(); i-- > 0;) {  // so that the first peak of a bin is the last to be stored
      double const distance = far(mz[i]), begin = mz[i] - distance, end = mz[i] + distance;
      if (!(std::max(std::abs(begin), std::abs(end)) * per_mz_ < max_bin)) return clear(), false;
      begins_[i] = first_begin = std::min(first_begin, begin);
      bins const near{bin(begin), bin(end)};
      touched += near.last - near.first + 1;
      if (touched > max_touched) return clear(), false;
      touched_.push_back(near);
      for (std::int64_t b = near.first; b <= near.last; ++b) firsts_[slot(b)] = std::uint16_t(i + 1);
    }
    return true;
  }
  void clear() {
    for (bins const& near : touched_)
      for (std::int64_t b = near.first; b <= near.last; ++b) firsts_[slot(b)] = 0;
    touched_.clear();
  }

  /// Calls use(i, j) for peaks i of the table and j of another spectrum, in order of j, then of i: for all pairs whose m/z, with
  /// that of j shifted, differ by at most far(m/z of i), and for some others.
  template <class Use>
  void each_near(std::span<double const> mz, double shift, Use use) {
    near_.resize(mz.size());
    std::size_t count = 0;
    for (std::size_t j = 0; j < mz.size(); ++j) {
      near_[count] = std::uint32_t(j);
      count += firsts_[slot(bin(mz[j] + shift))] != 0 ? 1 : 0;
    }
    for (std::size_t k = 0; k < count; ++k) {
      std::size_t const j = near_[k];
      double const at = mz[j] + shift;
      for (std::size_t i = firsts_[slot(bin(at))] - std::size_t{1}; i < begins_.size() && begins_[i] <= at; ++i) use(i, j);
    }
  }

 private:
  struct bins {
    std::int64_t first, last;
  };
  static constexpr std::size_t slots = std::size_t{1} << 16;
  static constexpr double max_bin = 0x1p50;

  [[nodiscard]] std::int64_t bin(double mz) const { return std::int64_t(std::min(std::max(mz * per_mz_, -max_bin), max_bin)); }
  // Distant bins share a slot, so that a search may also find peaks of another bin.
  static std::size_t slot(std::int64_t bin) { return std::size_t(bin) % slots; }

  double per_mz_ = 1;
  std::vector<std::uint16_t> firsts_ = std::vector<std::uint16_t>(slots);  // 1 + the first peak near to each bin, or 0
  std::vector<bins> touched_;
  std::vector<double> begins_;  // the least m/z that a peak, or one after it, may match
  std::vector<std::uint32_t> near_;
};

}  // namespace ordo::inline v0::spectra::detail
