#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include "base/pooled_arena.hpp"
#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/similarity.hpp"
#include "spectra/peaks/peak_machines.hpp"
#include "spectra/similarity/greedy_matching.hpp"
#include "spectra/similarity/peak_index.hpp"
#include "spectra/similarity/peak_bins.hpp"

// Finds pairs of similar spectra. Spectra are ranked by precursor, so that those which a spectrum may be similar to are ranks
// in a row. Tiles of ranks each have an index, which gives an upper bound of each cosine. Only pairs whose bound is high enough
// are compared.
namespace ordo::inline v0::spectra {
namespace {

constexpr std::size_t tile_peaks = std::size_t{1} << 19, tile_spectra = std::size_t{1} << 14;
// The number of candidates up to which it is faster to compare them one by one than to look up each peak in an index.
constexpr std::size_t few_candidates = 4;

// The spectra that may be similar to another one, by their precursor, with their peaks by m/z.
class ranked_spectra {
 public:
  ranked_spectra(spectra_view const& all, bool needs_precursor) {
    std::vector<double> norms(all.size());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, all.size()), [&](tbb::blocked_range<std::size_t> const& some) {
      std::vector<double> heights;
      for (std::size_t s = some.begin(); s < some.end(); ++s) {
        heights.resize(peaks(all.mz, all, s).size());
        double const squares = detail::scale_intensities(peaks(all.intensity, all, s), heights);
        norms[s] = std::isinf(squares) ? 0 : std::sqrt(squares);
      }
    });
    for (std::size_t s = 0; s < all.size(); ++s)
      if (norms[s] > 0 && !(needs_precursor && std::isnan(all.precursor_mz[s]))) number.push_back(s);
    tbb::parallel_sort(number, [&](std::uint64_t a, std::uint64_t b) {
      double const x = all.precursor_mz[a], y = all.precursor_mz[b];
      if (x < y || y < x) return x < y;
      return std::pair(std::isnan(x), a) < std::pair(std::isnan(y), b);
    });
    offsets.push_back(0);
    for (std::uint64_t const s : number) {
      offsets.push_back(offsets.back() + peaks(all.mz, all, s).size());
      precursor.push_back(all.precursor_mz[s]);
      norm.push_back(norms[s]);
    }
    // Threads touch the memory first where they write to it.
    mz_ = std::make_unique_for_overwrite<double[]>(offsets.back());
    heights_ = std::make_unique_for_overwrite<double[]>(offsets.back());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, size()), [&](tbb::blocked_range<std::size_t> const& some) {
      std::vector<double> heights;
      std::vector<std::size_t> order;
      for (std::size_t r = some.begin(); r < some.end(); ++r) {
        auto const mz = peaks(all.mz, all, number[r]);
        heights.resize(mz.size());
        detail::scale_intensities(peaks(all.intensity, all, number[r]), heights);
        order.resize(mz.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        auto const key = [&](std::size_t i) { return std::isfinite(mz[i]) ? mz[i] : std::numeric_limits<double>::infinity(); };
        if (!std::ranges::is_sorted(order, {}, key)) std::ranges::stable_sort(order, {}, key);
        for (std::size_t i = 0; i < order.size(); ++i) {
          mz_[offsets[r] + i] = mz[order[i]];
          heights_[offsets[r] + i] = heights[order[i]];
        }
      }
    });
    // Peaks that match none come last: they are left out here, but not of the norm.
    finite_.resize(size());
    for (std::size_t r = 0; r < size(); ++r) {
      std::size_t end = offsets[r + 1];
      while (end > offsets[r] && !std::isfinite(mz_[end - 1])) --end;
      finite_[r] = end;
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return number.size(); }
  [[nodiscard]] double greatest_precursor() const {  // the magnitude
    return size() == 0 ? 0 : std::max(std::abs(precursor.front()), std::abs(precursor.back()));
  }
  [[nodiscard]] std::span<double const> mz(std::size_t r) const { return part(mz_, r); }
  [[nodiscard]] std::span<double const> heights(std::size_t r) const { return part(heights_, r); }

  std::vector<std::uint64_t> number;    // number in the input
  std::vector<std::size_t> offsets;     // offsets of peaks
  std::vector<double> precursor, norm;  // norm: the norm of the heights

 private:
  static std::span<double const> peaks(std::span<double const> of, spectra_view const& all, std::uint64_t s) {
    return of.subspan(std::size_t(all.offsets[s]), std::size_t(all.offsets[s + 1] - all.offsets[s]));
  }
  [[nodiscard]] std::span<double const> part(std::unique_ptr<double[]> const& of, std::size_t r) const {
    return {of.get() + offsets[r], finite_[r] - offsets[r]};
  }

  std::unique_ptr<double[]> mz_, heights_;  // m/z and heights of all peaks
  std::vector<std::size_t> finite_;         // where the peaks with a finite m/z end
};

// A distance within which everything is that a tolerance accepts, from either side, and by other roundings. A peak that matches
// after a shift may be the first one: its m/z, of which ppm are, is then that of the other and the shift.
double wide_distance(tolerance const& of, double mz, double scale) {
  double const distance = of.ppm ? std::abs(mz) * of.value * 1e-6 / (1 - of.value * 1e-6) : of.value;
  return distance + 32 * detail::rounding_unit * (std::abs(mz) + std::abs(scale) + distance);
}

// Some ranks, and the index of their peaks.
struct tile {
  std::size_t begin, end;
};

// The peaks of a spectrum that are looked up: those from a height on.
struct high_peaks {
  double lowest;  // above 0
  double rest;    // the most that all others add to a cosine: their norm, as peaks are matched one to one
};
high_peaks find_high_peaks(std::span<double const> heights, double norm, double min_cosine) {
  // A greater share leaves more pairs to compare, a smaller one more peaks to look up.
  constexpr double share = 0.4, slack = 1e-9;
  thread_local std::vector<double> ascending;
  ascending.assign(heights.begin(), heights.end());
  std::ranges::sort(ascending);
  double const most = min_cosine * share * norm;
  double squares = 0;
  std::size_t i = 0, after;
  for (; i < ascending.size(); i = after) {  // equal ones together
    double more = squares;
    for (after = i; after < ascending.size() && ascending[after] == ascending[i]; ++after)
      more += ascending[after] * ascending[after];
    if (ascending[i] > 0 && more > most * most) break;
    squares = more;
  }
  double const lowest = i < ascending.size() ? ascending[i] : std::numeric_limits<double>::infinity();
  return {lowest, std::sqrt(squares) / norm * (1 + slack)};
}

class pair_finder {
 public:
  pair_finder(spectra_view const& all, similarity_rule const& rule, machine_options const& on, unsigned threads)
      : rule_(rule), ranked_(all, rule.precursor || rule.modified), options_(make_options(on)), machines_(options_, threads) {
    ends_.resize(ranked_.size());
    high_.resize(ranked_.size());
    tbb::parallel_for(std::size_t{0}, ranked_.size(), [&](std::size_t r) {
      high_[r] = find_high_peaks(ranked_.heights(r), ranked_.norm[r], rule_.min_cosine);
      ends_[r] = ranked_.size();
      if (!rule_.precursor) return;
      double const last = ranked_.precursor[r] + wide_distance(*rule_.precursor, ranked_.precursor[r], 0);
      ends_[r] = std::size_t(std::ranges::upper_bound(ranked_.precursor, last) - ranked_.precursor.begin());
    });
  }

  std::vector<similar_pair> find() {
    std::vector<tile> tiles;
    for (std::size_t begin = 0; begin < ranked_.size(); begin = tiles.back().end) {
      std::size_t end = begin + 1;
      while (end < ranked_.size() && end - begin < tile_spectra &&
             ranked_.offsets[end + 1] - ranked_.offsets[begin] <= tile_peaks)
        ++end;
      tiles.push_back({begin, end});
    }
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, tiles.size(), 1),
        [&](tbb::blocked_range<std::size_t> const& some) {
          for (std::size_t t = some.begin(); t < some.end(); ++t) find_in(tiles[t]);
        },
        tbb::simple_partitioner());
    std::vector<similar_pair> pairs = collect();
    tbb::parallel_sort(pairs.begin(), pairs.end(), [](similar_pair const& a, similar_pair const& b) {
      return std::pair(a.first, a.second) < std::pair(b.first, b.second);
    });
    return pairs;
  }

 private:
  static sort_options make_options(machine_options const& on) {
    sort_options options;
    options.machine = on;
    return options;
  }

  // Returns the pairs of all threads.
  std::vector<similar_pair> collect() {
    std::vector<std::pair<worker*, std::size_t>> begins;
    std::size_t count = 0;
    for (worker& one : workers_) {
      begins.emplace_back(&one, count);
      count += one.pairs.size();
    }
    std::vector<similar_pair> pairs(count);
    tbb::parallel_for(std::size_t{0}, begins.size(), [&](std::size_t w) {
      auto const& [from, begin] = begins[w];
      std::ranges::copy(from->pairs, pairs.begin() + std::ptrdiff_t(begin));
      from->pairs = {};
    });
    return pairs;
  }

  // The memory of a thread.
  struct worker {
    std::vector<double> bounds;          // bounds of the candidates in a tile; 0 between two spectra
    std::vector<std::uint32_t> touched;  // candidates with a bound
    std::vector<std::size_t> similar;    // ranks that may be similar to a spectrum
    detail::peak_bins peaks;
    detail::greedy_matching matching;
    std::vector<similar_pair> pairs;
  };

  // Finds the pairs of the spectra of a tile with those of lower ranks.
  void find_in(tile const& here) {
    std::size_t const first = std::size_t(
        std::ranges::upper_bound(ends_.begin(), ends_.begin() + std::ptrdiff_t(here.begin), here.begin) - ends_.begin());
    bool needs_index = false;
    for (std::size_t q = first; q < here.end && !needs_index; ++q) needs_index = candidates(q, here).size() > few_candidates;
    if (!needs_index) {
      query(first, here, nullptr, nullptr);
      return;
    }
    detail::peak_index const by_mz(postings(here, false), bin_width(), machines_);
    if (!rule_.modified) return query(first, here, &by_mz, nullptr);
    detail::peak_index const by_loss(postings(here, true), bin_width(), machines_);
    query(first, here, &by_mz, &by_loss);
  }

  struct rank_range {
    std::size_t begin, end;
    [[nodiscard]] std::size_t size() const noexcept { return end > begin ? end - begin : 0; }
  };
  [[nodiscard]] rank_range candidates(std::size_t q, tile const& here) const {
    return {std::max(q + 1, here.begin), std::min(ends_[q], here.end)};
  }

  // Returns the peaks of a tile, by m/z or by the difference to the precursor.
  [[nodiscard]] std::vector<detail::peak_index::posting> postings(tile const& here, bool by_loss) const {
    std::vector<detail::peak_index::posting> all;
    all.reserve(ranked_.offsets[here.end] - ranked_.offsets[here.begin]);
    for (std::size_t r = here.begin; r < here.end; ++r) {
      auto const mz = ranked_.mz(r), heights = ranked_.heights(r);
      for (std::size_t i = 0; i < mz.size(); ++i)
        if (heights[i] > 0)
          all.push_back({by_loss ? ranked_.precursor[r] - mz[i] : mz[i], float(heights[i] / ranked_.norm[r]),
                         std::uint32_t(r - here.begin)});
    }
    return all;
  }

  void query(std::size_t first, tile const& here, detail::peak_index const* by_mz, detail::peak_index const* by_loss) {
    constexpr std::size_t block = 32;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(first, here.end, block),
                      [&](tbb::blocked_range<std::size_t> const& some) {
                        worker& own = workers_.local();
                        for (std::size_t q = some.begin(); q < some.end(); ++q) {
                          rank_range const range = candidates(q, here);
                          own.similar.clear();
                          if (range.size() <= few_candidates || !by_mz)
                            for (std::size_t c = range.begin; c < range.end; ++c) own.similar.push_back(c);
                          else
                            query(own, q, range, here, *by_mz, by_loss);
                          compare(own, q);
                        }
                      });
  }

  void query(worker& own, std::size_t q, rank_range const& range, tile const& here, detail::peak_index const& by_mz,
             detail::peak_index const* by_loss) {
    if (own.bounds.size() < here.end - here.begin) own.bounds.resize(here.end - here.begin);
    own.touched.resize(here.end - here.begin);
    std::size_t touched = 0;
    auto const first = std::uint32_t(range.begin - here.begin), last = std::uint32_t(range.end - here.begin);
    auto const mz = ranked_.mz(q), heights = ranked_.heights(q);
    double const norm = ranked_.norm[q], precursor = ranked_.precursor[q];
    auto const [lowest, rest] = high_[q];
    double const shift = by_loss ? ranked_.precursor[range.end - 1] - precursor : 0;  // the greatest
    for (std::size_t i = 0; i < mz.size(); ++i) {
      if (heights[i] < lowest) continue;
      double const weight = heights[i] / norm;
      auto const add = [&](std::uint32_t candidate, float other) {
        double& bound = own.bounds[candidate];
        if (bound == 0) own.touched[touched++] = candidate;
        bound += std::max(weight * double(other), std::numeric_limits<double>::min());
      };
      by_mz.each_near(mz[i], wide_distance(rule_.peaks, mz[i], 0), first, last, add);
      if (by_loss) {
        double const scale = std::abs(precursor) + std::abs(mz[i]), far = std::abs(mz[i]) + shift;
        by_loss->each_near(precursor - mz[i], wide_distance(rule_.peaks, far, scale), first, last, add);
      }
    }
    for (std::size_t k = 0; k < touched; ++k) {
      double const bound = std::exchange(own.bounds[own.touched[k]], 0);
      // More than what weights in single precision and the roundings of the sum take.
      constexpr double slack = 1e-6, least = 1e-30;
      if (bound >= rule_.min_cosine * (1 - slack) - rest - least) own.similar.push_back(here.begin + own.touched[k]);
    }
  }

  // Adds the pairs of a spectrum with those that may be similar to it.
  void compare(worker& own, std::size_t q) {
    bool has_table = own.similar.size() > 1;
    if (has_table) {
      double const scale = rule_.modified ? ranked_.greatest_precursor() : 0;
      double const shift = rule_.modified ? ranked_.precursor[std::ranges::max(own.similar)] - ranked_.precursor[q] : 0;
      auto const far = [&](double mz) { return wide_distance(rule_.peaks, std::abs(mz) + shift, scale); };
      has_table = own.peaks.fill(ranked_.mz(q), bin_width(), far);
    }
    for (std::size_t const c : own.similar) compare(own, q, c, has_table);
  }

  // Adds a pair if it is similar.
  void compare(worker& own, std::size_t q, std::size_t c, bool has_table) {
    bool const q_is_first = ranked_.number[q] < ranked_.number[c];
    auto const [a, b] = q_is_first ? std::pair(q, c) : std::pair(c, q);
    double const shift = ranked_.precursor[a] - ranked_.precursor[b];
    if (rule_.precursor && !(std::abs(shift) <= detail::distance_at(*rule_.precursor, ranked_.precursor[a]))) return;
    auto const mz_a = ranked_.mz(a), mz_b = ranked_.mz(b), heights_a = ranked_.heights(a), heights_b = ranked_.heights(b);
    auto const far = [&](double mz) { return rule_.peaks.ppm ? mz * rule_.peaks.value * 1e-6 : rule_.peaks.value; };
    auto const add = [&, a = a](double by) {  // a peak matches if the merge of greedy_matching says so
      if (!has_table) return own.matching.add(mz_a, heights_a, mz_b, heights_b, by, true, far);
      own.peaks.each_near(ranked_.mz(c), a == q ? by : -by, [&](std::size_t of_q, std::size_t of_c) {
        auto const [i, j] = a == q ? std::pair(of_q, of_c) : std::pair(of_c, of_q);
        double const distance = far(mz_a[i]), at = mz_b[j] + by;
        if (!(at < mz_a[i] - distance) && at <= mz_a[i] + distance) own.matching.add(heights_a[i] * heights_b[j], i, j);
      });
    };
    own.matching.clear();
    add(0);
    if (rule_.modified && !(std::abs(shift) <= far(ranked_.precursor[a]))) {
      own.matching.begin_shifted();
      add(shift);
    }
    double const norm = ranked_.norm[a] * ranked_.norm[b];
    if (own.matching.bound() < rule_.min_cosine * norm * (1 - 4 * detail::rounding_unit)) return;
    auto const [sum, matches] = own.matching.match(mz_a.size(), mz_b.size(), detail::ties::last);
    double const cosine = sum / norm;
    if (cosine >= rule_.min_cosine) own.pairs.push_back({ranked_.number[a], ranked_.number[b], cosine, matches});
  }

  // Returns the width of the bins of an index.
  [[nodiscard]] double bin_width() const {
    return std::max(2 * wide_distance(rule_.peaks, rule_.peaks.ppm ? 1000 : 0, 0), 0.01);
  }

  similarity_rule const& rule_;
  ranked_spectra ranked_;
  sort_options options_;
  detail::peak_machines machines_;
  std::vector<std::size_t> ends_;  // where the ranks end that each spectrum may be similar to
  std::vector<high_peaks> high_;
  tbb::enumerable_thread_specific<worker> workers_;
};

void check(spectra_view const& spectra, similarity_rule const& rule) {
  auto const check = [](tolerance const& tolerance, char const* name) {
    if (!(tolerance.value >= 0) || !std::isfinite(tolerance.value) || (tolerance.ppm && tolerance.value > detail::max_ppm))
      throw usage_error(std::string("invalid tolerance: ") + name +
                        ": it is not from 0 to 500000 ppm, or a finite number of Da");
  };
  check(rule.peaks, "peaks");
  if (rule.precursor) check(*rule.precursor, "precursors");
  if (!(rule.min_cosine > 0 && rule.min_cosine <= 1))
    throw usage_error("invalid cosine: minimum: it is not above 0 and up to 1");
  auto const refuse = [](char const* why) { throw usage_error(std::string("bad arrays: spectra: ") + why); };
  if (spectra.mz.size() != spectra.intensity.size()) refuse("m/z values and intensities differ in number");
  if (spectra.size() == 0 && spectra.offsets.size() <= 1) return;
  if (spectra.offsets.size() != spectra.size() + 1) refuse("offsets are not one more than precursors");
  if (!std::ranges::is_sorted(spectra.offsets) || spectra.offsets.back() > spectra.mz.size())
    refuse("offsets fall, or leave the arrays");
}

}  // namespace

std::vector<similar_pair> find_pairs(spectra_view const& spectra, similarity_rule const& rule, machine_options const& on) {
  check(spectra, rule);
  pooled_arena arena(threads_for(on.threads));
  return arena.execute([&] { return pair_finder(spectra, rule, on, unsigned(arena.max_concurrency())).find(); });
}

}  // namespace ordo::inline v0::spectra
