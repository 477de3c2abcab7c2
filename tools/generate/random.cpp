#include "tools/generate/random.hpp"

#include <cmath>
#include <numeric>

namespace ordo::inline v0::generate {
namespace {

constexpr double ln2 = 0x1.62e42fefa39efp-1;

}  // namespace

random_source::random_source(std::uint64_t seed) noexcept {
  for (auto& word : state_) {
    std::uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    word = z ^ z >> 31;
  }
}

double random_source::exponential(double mean) noexcept {
  return -mean * exact_log(1 - unit());
}

double random_source::normal() noexcept {
  double sum = -6;
  for (int i = 0; i != 12; ++i) sum += unit();
  return sum;
}

double random_source::lognormal(double median, double sigma) noexcept {
  return median * exact_exp(sigma * normal());
}

double exact_log(double x) noexcept {
  int exponent;
  double m = std::frexp(x, &exponent);  // frexp, ldexp and floor are exact
  if (m < 0.70710678118654752) m *= 2, --exponent;
  double const s = (m - 1) / (m + 1), z = s * s;  // log m = 2 atanh s
  double sum = 0;
  for (int k = 21; k > 0; k -= 2) sum = sum * z + 1.0 / k;
  return exponent * ln2 + 2 * s * sum;
}

double exact_exp(double x) noexcept {
  double const k = std::floor(x / ln2 + 0.5), r = x - k * ln2;
  double sum = 1;
  for (int i = 14; i > 0; --i) sum = 1 + sum * r / i;
  return std::ldexp(sum, static_cast<int>(k));
}

weighted_index::weighted_index(std::span<double const> weights) : entries_(weights.size()) {
  double const mean = std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
  std::vector<double> rest(weights.begin(), weights.end());
  std::vector<std::size_t> light, heavy;
  for (std::size_t i = 0; i != rest.size(); ++i) {
    entries_[i] = {1, i};
    (rest[i] < mean ? light : heavy).push_back(i);
  }
  while (!light.empty() && !heavy.empty()) {
    std::size_t const small = light.back(), large = heavy.back();
    light.pop_back();
    entries_[small] = {rest[small] / mean, large};
    rest[large] -= mean - rest[small];
    if (rest[large] < mean) {
      heavy.pop_back();
      light.push_back(large);
    }
  }
}

weighted_index weighted_index::zipf(std::size_t n, double exponent) {
  std::vector<double> weights(n);
  for (std::size_t i = 0; i != n; ++i) weights[i] = exact_exp(-exponent * exact_log(static_cast<double>(i + 1)));
  return weighted_index(weights);
}

}  // namespace ordo::inline v0::generate
