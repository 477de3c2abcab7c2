#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "spectra/peaks/peak_machines.hpp"

namespace ordo::inline v0::spectra::detail {

/// An inverted index: the peaks of some spectra by bins of a value, such as the m/z, in each bin in the order of the spectra.
class peak_index {
 public:
  struct posting {
    double value;
    float weight;
    std::uint32_t spectrum;
  };

  /// @param peaks  in the order of the spectra; less than 2^32, with finite values @param width  the least width of a bin
  peak_index(std::vector<posting> const& peaks, double width, peak_machines& machines) {
    if (peaks.empty()) return;
    auto const [least, most] = std::ranges::minmax_element(peaks, {}, &posting::value);
    least_ = least->value;
    double const bins = std::min((most->value - least_) / width, double(max_bins - 1));
    width_ = width;
    begins_.resize(std::size_t(bins) + 2);

    std::vector<std::uint64_t> codes(peaks.size());
    for (std::size_t i = 0; i < peaks.size(); ++i) {
      codes[i] = bin(peaks[i].value);
      ++begins_[codes[i] + 1];
    }
    for (std::size_t b = 1; b < begins_.size(); ++b) begins_[b] += begins_[b - 1];
    std::vector<std::uint32_t> order(peaks.size());
    machines.sort(codes, std::array{0u, std::uint32_t(peaks.size())}, order, 1);
    postings_.resize(peaks.size());
    for (std::size_t i = 0; i < order.size(); ++i) postings_[i] = peaks[order[i]];
  }

  /// Calls use(spectrum, weight) for the peaks of the spectra [first, last) whose value is no further than `far` from this one.
  template <class Use>
  void each_near(double value, double far, std::uint32_t first, std::uint32_t last, Use use) const {
    if (postings_.empty()) return;
    for (std::size_t b = bin(value - far), end = bin(value + far); b <= end; ++b) {
      auto const stop = postings_.begin() + begins_[b + 1];
      auto it = std::lower_bound(postings_.begin() + begins_[b], stop, first,
                                 [](posting const& before, std::uint32_t spectrum) { return before.spectrum < spectrum; });
      for (; it != stop && it->spectrum < last; ++it)
        if (std::abs(it->value - value) <= far) use(it->spectrum, it->weight);
    }
  }

 private:
  static constexpr std::size_t max_bins = std::size_t{1} << 20;

  // Does not fall where values rise. The first and the last bin also have all values before and after.
  [[nodiscard]] std::size_t bin(double value) const {
    double const at = (value - least_) / width_;
    return at > 0 ? std::size_t(std::min(at, double(begins_.size() - 2))) : 0;
  }

  double least_ = 0, width_ = 1;
  std::vector<std::uint32_t> begins_;  // where each bin begins in postings_, and where the last one ends
  std::vector<posting> postings_;
};

}  // namespace ordo::inline v0::spectra::detail
