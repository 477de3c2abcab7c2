#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/spectra/similarity.hpp"
#include "spectra/similarity/greedy_matching.hpp"

namespace ordo::inline v0::spectra {
namespace {

std::vector<std::uint64_t> connected(std::size_t spectra, std::span<similar_pair const> pairs) {
  std::vector<std::uint64_t> parent(spectra);
  std::iota(parent.begin(), parent.end(), std::uint64_t{0});
  auto const root = [&](std::uint64_t s) {
    while (parent[s] != s) s = parent[s] = parent[parent[s]];
    return s;
  };
  std::vector<double> sums(spectra);
  for (similar_pair const& pair : pairs) {
    std::uint64_t const a = root(pair.first), b = root(pair.second);
    parent[std::max(a, b)] = std::min(a, b);
    sums[pair.first] += pair.cosine;
    sums[pair.second] += pair.cosine;
  }
  std::vector<std::uint64_t> representative(spectra);
  std::iota(representative.begin(), representative.end(), std::uint64_t{0});
  for (std::uint64_t s = 0; s < spectra; ++s)
    if (auto& best = representative[root(s)]; sums[s] > sums[best]) best = s;  // a root is the first of its cluster
  std::vector<std::uint64_t> clusters(spectra);
  for (std::uint64_t s = 0; s < spectra; ++s) clusters[s] = representative[root(s)];
  return clusters;
}

std::vector<std::uint64_t> greedy(std::size_t spectra, std::span<similar_pair const> pairs) {
  std::vector<std::uint64_t> begins(spectra + 1), neighbours(2 * pairs.size());
  for (similar_pair const& pair : pairs) ++begins[pair.first], ++begins[pair.second];
  std::vector<std::uint64_t> order(spectra);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::stable_sort(order, [&](std::uint64_t a, std::uint64_t b) { return begins[a] > begins[b]; });
  std::inclusive_scan(begins.begin(), begins.end(), begins.begin());
  for (similar_pair const& pair : pairs) {
    neighbours[--begins[pair.first]] = pair.second;
    neighbours[--begins[pair.second]] = pair.first;
  }
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::vector<std::uint64_t> clusters(spectra, none);
  for (std::uint64_t const s : order) {
    if (clusters[s] != none) continue;
    clusters[s] = s;
    for (std::uint64_t k = begins[s]; k < begins[s + 1]; ++k)
      if (clusters[neighbours[k]] == none) clusters[neighbours[k]] = s;
  }
  return clusters;
}

// Makes the peaks of a consensus.
class consensus {
 public:
  consensus(spectrum_columns const& all, tolerance const& peaks) : all_(all), tolerance_(peaks) {}

  void add(std::span<std::uint64_t const> members, std::uint64_t representative, spectrum_columns& to) {
    peaks_.clear();
    double norm = 0;  // norm of the representative
    for (std::size_t m = 0; m < members.size(); ++m) {
      auto const mz = part(all_.mz, members[m]), intensity = part(all_.intensity, members[m]);
      heights_.resize(mz.size());
      double const max = intensity.empty() ? 0 : std::max(*std::ranges::max_element(intensity, {}, positive), 0.0);
      double const own = std::sqrt(detail::scale_intensities(intensity, heights_));  // neither 0 nor infinite in a pair
      for (std::size_t i = 0; i < mz.size(); ++i)
        if (std::isfinite(mz[i]) && heights_[i] > 0) peaks_.push_back({mz[i], heights_[i] / own, m, false});
      if (members[m] == representative) norm = own * (max / *std::ranges::max_element(heights_));
    }
    std::ranges::stable_sort(peaks_, {}, &peak::mz);
    order_.resize(peaks_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) { return peaks_[a].height > peaks_[b].height; });
    merged_.clear();
    for (std::size_t const highest : order_)
      if (!peaks_[highest].taken) merge(highest, members.size(), norm / double(members.size()));
    std::ranges::stable_sort(merged_, {}, &std::pair<double, double>::first);
    for (auto const& [mz, intensity] : merged_) {
      to.mz.push_back(mz);
      to.intensity.push_back(intensity);
    }
  }

  [[nodiscard]] std::span<double const> part(std::vector<double> const& of, std::uint64_t s) const {
    return std::span(of).subspan(std::size_t(all_.offsets[s]), std::size_t(all_.offsets[s + 1] - all_.offsets[s]));
  }

 private:
  struct peak {
    double mz, height;
    std::size_t member;
    bool taken;
  };
  // Returns a number of fewer digits, as a format has it.
  static double rounded(char const* digits, double value) {
    std::string const text = fmt::format(fmt::runtime(digits), value);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  static double positive(double intensity) { return intensity > 0 ? intensity : 0; }

  void merge(std::size_t highest, std::size_t members, double factor) {
    double const mz = peaks_[highest].mz, far = detail::distance_at(tolerance_, mz);
    std::size_t begin = highest, end = highest + 1;
    while (begin > 0 && mz - peaks_[begin - 1].mz <= far) --begin;
    while (end < peaks_.size() && peaks_[end].mz - mz <= far) ++end;
    double height = 0, moment = 0;
    seen_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      peak& next = peaks_[i];
      if (std::exchange(next.taken, true)) continue;
      height += next.height;
      moment += next.height * (next.mz - mz);
      seen_.push_back(next.member);
    }
    std::ranges::sort(seen_);
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    if (2 * seen_.size() < members) return;
    merged_.emplace_back(rounded("{:.6f}", mz + moment / height), rounded("{:.7g}", height * factor));
  }

  spectrum_columns const& all_;
  tolerance const& tolerance_;
  std::vector<peak> peaks_;  // peaks of all members, by m/z
  std::vector<double> heights_;
  std::vector<std::size_t> order_, seen_;
  std::vector<std::pair<double, double>> merged_;
};

}  // namespace

std::vector<std::uint64_t> find_clusters(std::size_t spectra, std::span<similar_pair const> pairs, cluster_method method) {
  for (similar_pair const& pair : pairs)
    if (pair.first >= spectra || pair.second >= spectra)
      throw usage_error("bad pairs: clusters: a number is that of no spectrum");
  return method == cluster_method::connected ? connected(spectra, pairs) : greedy(spectra, pairs);
}

spectrum_columns make_consensus(spectrum_columns const& spectra, std::span<std::uint64_t const> clusters,
                                tolerance const& peaks) {
  if (clusters.size() != spectra.size()) throw usage_error("bad clusters: consensus: not as many as spectra");
  std::vector<std::uint64_t> order(clusters.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::stable_sort(order, {}, [&](std::uint64_t s) { return clusters[s]; });
  consensus made(spectra, peaks);
  spectrum_columns all;
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    std::uint64_t const s = clusters[order[begin]];
    end = begin + 1;
    while (end < order.size() && clusters[order[end]] == s) ++end;
    if (end - begin > 1) {
      made.add(std::span(order).subspan(begin, end - begin), s, all);
    } else {
      auto const mz = made.part(spectra.mz, s), intensity = made.part(spectra.intensity, s);
      all.mz.insert(all.mz.end(), mz.begin(), mz.end());
      all.intensity.insert(all.intensity.end(), intensity.begin(), intensity.end());
    }
    all.offsets.push_back(all.mz.size());
    all.add_values(spectra, s);
  }
  return all;
}

}  // namespace ordo::inline v0::spectra
