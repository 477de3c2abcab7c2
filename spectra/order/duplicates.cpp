#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/threads.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/order.hpp"
#include "spectra/order/read_inputs.hpp"

// Finds spectra that repeat earlier ones.
namespace ordo::inline v0::spectra {
namespace {

constexpr double max_ppm = 500'000;

double distance_at(tolerance const& of, double mz) {
  return of.ppm ? mz * of.value * 1e-6 : of.value;
}

// A NaN counts as itself, and the two zeros are equal.
std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value + 0.0);
}

// All chosen spectra, in the order of the inputs, with their peaks in order of m/z.
class spectrum_table {
 public:
  void add(spectrum_columns const& some) { all_.add(some); }

  void sort_peaks() {
    tbb::parallel_for(std::size_t{0}, size(), [this](std::size_t s) {
      std::size_t const begin = std::size_t(all_.offsets[s]), count = std::size_t(all_.offsets[s + 1]) - begin;
      std::vector<std::pair<double, double>> peaks(count);
      for (std::size_t i = 0; i < count; ++i) peaks[i] = {all_.mz[begin + i], all_.intensity[begin + i]};
      std::ranges::sort(peaks, [](auto const& a, auto const& b) {
        return a.first != b.first ? a.first < b.first || (std::isnan(b.first) && !std::isnan(a.first))
                                  : bits_of(a.second) < bits_of(b.second);
      });
      for (std::size_t i = 0; i < count; ++i) std::tie(all_.mz[begin + i], all_.intensity[begin + i]) = peaks[i];
    });
  }

  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  [[nodiscard]] double precursor(std::size_t s) const { return all_.precursor_mz[s]; }
  [[nodiscard]] bool is_alike(std::size_t a, std::size_t b) const {
    return all_.charge[a] == all_.charge[b] && all_.ms_level[a] == all_.ms_level[b];
  }
  [[nodiscard]] std::span<double const> mz(std::size_t s) const { return part(all_.mz, s); }
  [[nodiscard]] std::span<double const> intensity(std::size_t s) const { return part(all_.intensity, s); }

  [[nodiscard]] bool is_identical(std::size_t a, std::size_t b) const {
    auto const same = [](double x, double y) { return bits_of(x) == bits_of(y); };
    return is_alike(a, b) && same(precursor(a), precursor(b)) && std::ranges::equal(mz(a), mz(b), same) &&
           std::ranges::equal(intensity(a), intensity(b), same);
  }
  [[nodiscard]] std::uint64_t hash(std::size_t s) const {
    std::uint64_t value = 0;
    auto const add = [&](std::uint64_t more) {
      value = (std::rotl(value, 23) ^ more) * 0x9e3779b97f4a7c15;
      value ^= value >> 32;
    };
    add(bits_of(precursor(s)));
    add(std::uint64_t(all_.charge[s]));
    add(all_.ms_level[s]);
    for (double const one : mz(s)) add(bits_of(one));
    for (double const one : intensity(s)) add(bits_of(one));
    return value;
  }

 private:
  [[nodiscard]] std::span<double const> part(std::vector<double> const& column, std::size_t s) const {
    return std::span(column).subspan(std::size_t(all_.offsets[s]), std::size_t(all_.offsets[s + 1] - all_.offsets[s]));
  }
  spectrum_columns all_;
};

// The cosine of the angle between two spectra.
class cosine {
 public:
  explicit cosine(tolerance const& peaks) : peaks_(peaks) {}

  double operator()(spectrum_table const& all, std::size_t a, std::size_t b) {
    auto const mz_a = all.mz(a), mz_b = all.mz(b), heights_a = all.intensity(a), heights_b = all.intensity(b);
    double const norm = std::sqrt(sum_of_squares(heights_a) * sum_of_squares(heights_b));
    if (norm == 0) return mz_a.empty() && mz_b.empty() ? 1 : 0;
    pairs_.clear();
    std::size_t begin = 0;
    for (std::size_t i = 0; i < mz_a.size(); ++i) {
      double const far = distance_at(peaks_, mz_a[i]);
      while (begin < mz_b.size() && mz_b[begin] < mz_a[i] - far) ++begin;
      for (std::size_t j = begin; j < mz_b.size() && mz_b[j] <= mz_a[i] + far; ++j)
        if (double const product = height(heights_a[i]) * height(heights_b[j]); product > 0) pairs_.push_back({product, i, j});
    }
    std::ranges::sort(pairs_, [](pair const& x, pair const& y) {
      return x.product != y.product ? x.product > y.product : std::pair(x.a, x.b) < std::pair(y.a, y.b);
    });
    used_a_.assign(mz_a.size(), false);
    used_b_.assign(mz_b.size(), false);
    double sum = 0;
    for (pair const& one : pairs_) {
      if (used_a_[one.a] || used_b_[one.b]) continue;
      used_a_[one.a] = used_b_[one.b] = true;
      sum += one.product;
    }
    return sum / norm;
  }

 private:
  struct pair {
    double product;
    std::size_t a, b;
  };
  static double height(double value) { return value > 0 ? value : 0; }  // missing ones and those below 0 count as 0
  static double sum_of_squares(std::span<double const> heights) {
    double sum = 0;
    for (double const one : heights) sum += height(one) * height(one);
    return sum;
  }

  tolerance peaks_;
  std::vector<pair> pairs_;
  std::vector<bool> used_a_, used_b_;
};

// Marks spectra that are identical to an earlier one.
void mark_identical(spectrum_table const& all, std::vector<std::uint8_t>& repeats) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order(all.size());
  tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t s) { order[s] = {all.hash(s), s}; });
  std::ranges::sort(order);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && order[end].first == order[begin].first) ++end;
    std::vector<std::size_t> kept;  // more than one only if hashes collide
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t const s = order[i].second;
      repeats[s] = std::ranges::any_of(kept, [&](std::size_t other) { return all.is_identical(s, other); });
      if (!repeats[s]) kept.push_back(s);
    }
  }
}

// Marks each spectrum that repeats an earlier, unmarked one. Groups of spectra whose precursors are farther apart than the
// tolerance are independent.
void mark_similar(spectrum_table const& all, duplicate_rule const& rule, std::vector<std::uint8_t>& repeats) {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < all.size(); ++s)
    if (!std::isnan(all.precursor(s))) order.push_back(s);
  std::ranges::stable_sort(order, {}, [&](std::size_t s) { return all.precursor(s); });
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || all.precursor(order[i]) - all.precursor(order[i - 1]) > distance_at(*rule.precursor, all.precursor(order[i])))
      groups.push_back(i);
  groups.push_back(order.size());
  tbb::parallel_for(std::size_t{0}, groups.size() - 1, [&](std::size_t g) {
    auto const members = std::span(order).subspan(groups[g], groups[g + 1] - groups[g]);
    std::vector<std::size_t> by_input(members.size());
    std::iota(by_input.begin(), by_input.end(), std::size_t{0});
    std::ranges::sort(by_input, {}, [&](std::size_t i) { return members[i]; });
    cosine similarity(rule.peaks);
    for (std::size_t const i : by_input) {
      std::size_t const s = members[i];
      auto const repeats_one = [&](std::size_t other) {
        return other < s && !repeats[other] && all.is_alike(s, other) && similarity(all, other, s) >= rule.min_cosine;
      };
      auto const is_near = [&](std::size_t other) {
        double const first = all.precursor(std::min(other, s));
        return std::abs(all.precursor(other) - all.precursor(s)) <= distance_at(*rule.precursor, first);
      };
      // A distance in ppm is that of the earlier spectrum, so that one more or less may be within it on either side.
      double const reach = 2 * distance_at(*rule.precursor, all.precursor(s));
      for (std::size_t j = i; j-- > 0 && all.precursor(s) - all.precursor(members[j]) <= reach && !repeats[s];)
        repeats[s] = is_near(members[j]) && repeats_one(members[j]);
      for (std::size_t j = i + 1; j < members.size() && all.precursor(members[j]) - all.precursor(s) <= reach && !repeats[s];
           ++j)
        repeats[s] = is_near(members[j]) && repeats_one(members[j]);
    }
  });
}

}  // namespace

std::vector<std::shared_ptr<std::vector<std::uint64_t> const>> find_duplicates(spectrum_inputs const& inputs,
                                                                               sort_options const& options,
                                                                               duplicate_rule const& rule) {
  auto const check = [](tolerance const& one) {
    if (!(one.value >= 0) || !std::isfinite(one.value) || (one.ppm && one.value > max_ppm))
      throw usage_error("invalid tolerance of duplicates");
  };
  check(rule.peaks);
  if (rule.precursor) check(*rule.precursor);
  if (!(rule.min_cosine > 0 && rule.min_cosine <= 1)) throw usage_error("the cosine of duplicates is not above 0 and up to 1");
  spectrum_table all;
  std::vector<std::vector<std::uint64_t>> numbers(inputs.count);
  detail::read_inputs(
      inputs, options, {.what = detail::purpose::read, .lists = true}, [](sort_options& one) { one.choice.duplicates.reset(); },
      [&](std::size_t k, std::uint64_t, detail::pipeline& work) {
        all.add(work.take_columns());
        numbers[k] = work.take_chosen();
      });
  std::vector<std::uint8_t> repeats(all.size());
  tbb::task_arena arena(threads_for(options.machine.threads));
  arena.execute([&] {
    all.sort_peaks();
    rule.precursor ? mark_similar(all, rule, repeats) : mark_identical(all, repeats);
  });
  std::vector<std::shared_ptr<std::vector<std::uint64_t> const>> found;
  auto next = repeats.begin();
  for (auto const& some : numbers) {
    std::vector<std::uint64_t> left_out;
    for (std::uint64_t const number : some)
      if (*next++ != 0) left_out.push_back(number);
    found.push_back(std::make_shared<std::vector<std::uint64_t> const>(std::move(left_out)));
  }
  return found;
}

}  // namespace ordo::inline v0::spectra
