#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/radix_choice.hpp"
#include "tests/unit/catch.hpp"

// The choice between MSD and LSD of the GPU's radix sort, by a sample.
namespace {

using ordo::cuda_detail::msd_is_quicker;

template <class Make>
std::vector<std::uint64_t> sample_of(Make make, std::size_t n = std::size_t{1} << 26) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> sample(ordo::cuda_detail::tuning::sampled_keys(n));
  for (auto& x : sample) x = make(random);
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace

TEST_CASE("radix choice: MSD for even, equal and few keys; LSD for uneven ones") {
  for (std::size_t n : {std::size_t{1} << 22, std::size_t{1} << 26, std::size_t{1} << 28}) {
    for (std::size_t value : {0, 4}) {
      auto even = sample_of([](auto& r) { return r() >> 32; });
      CHECK(msd_is_quicker(even, {n, 16384, 32, 4, value, false, false}));
      auto wide = sample_of([](auto& r) { return r(); });
      CHECK(msd_is_quicker(wide, {n, 8192, 64, 8, value, false, false}));
      auto equal = sample_of([](auto&) { return std::uint64_t{5}; });
      CHECK(msd_is_quicker(equal, {n, 16384, 32, 4, value, false, false}));
      auto few = sample_of([](auto& r) { return (r() & 15) * 0x11111111; });
      CHECK(msd_is_quicker(few, {n, 16384, 32, 4, value, false, false}) == (value == 0));
      auto uneven = sample_of([](auto& r) { return (r() & r() & r() & r() & r()) >> 32; });
      CHECK_FALSE(msd_is_quicker(uneven, {n, 16384, 32, 4, value, false, false}));
      auto narrow = sample_of([](auto& r) { return r() & 0xfffff; });
      CHECK_FALSE(msd_is_quicker(narrow, {n, 8192, 20, 8, value, false, false}));  // three passes, if the range is known
    }
  }
}

TEST_CASE("radix choice: for 32-bit keys dense in a part of their range, LSD with values and MSD without") {
  constexpr std::size_t n = std::size_t{1} << 28;
  auto const gaussian = sample_of([](auto& r) { return (r() >> 34) + (r() >> 34) + (r() >> 34) + (r() >> 34); });
  CHECK(msd_is_quicker(gaussian, {n, 16384, 32, 4, 0, false, false}));
  CHECK_FALSE(msd_is_quicker(gaussian, {n, 16384, 32, 4, 4, false, false}));
  auto const of_a_part = sample_of([](auto& r) { return 0x80000000 + (r() >> 33); });
  CHECK(msd_is_quicker(of_a_part, {n, 16384, 32, 4, 4, false, false}));
}

TEST_CASE("radix choice: LSD for many keys of each number of a small range") {
  constexpr std::size_t n = std::size_t{1} << 27;
  for (unsigned bits : {10, 20, 22, 24, 32}) {
    auto const dense = sample_of([=](auto& r) { return r() >> (64 - bits); });
    CHECK(ordo::cuda_detail::differing_width(dense) == bits);
    CHECK(msd_is_quicker(dense, {n, 8192, 64, 8, 0, false, false}) == (bits > 22));
  }
}

TEST_CASE("radix choice: LSD for keys whose lower and upper bits correlate, unless blocks count them") {
  // Indices of entries near the diagonal of a matrix of 2^16 rows: `near` of these, and otherwise random keys.
  auto const product = [](std::uint64_t near) {
    return sample_of([=](auto& r) {
      std::uint64_t const row = r() & 0xffff, column = (row + r() % near) & 0xffff;
      return row << 16 | column;
    });
  };
  auto const goes_down = [](auto const& sample, std::size_t n, std::size_t value) {
    return msd_is_quicker(sample, {n, 16384, 32, 4, value, false, false});
  };
  constexpr std::size_t few = std::size_t{1} << 26, many = std::size_t{1} << 28;
  for (std::size_t const value : {0, 4, 8}) {
    CHECK_FALSE(goes_down(product(256), few, value));
    CHECK(goes_down(product(256), many, value) == (value == 0));  // 2^12 keys in 2^16 numbers
    CHECK(goes_down(product(16384), few, value));
    CHECK(goes_down(product(16384), many, value));
  }
  CHECK_FALSE(goes_down(product(256), many / 2, 0));
  CHECK_FALSE(goes_down(product(256), many * 3 / 2, 0));
  // With 64 bits: indices of a larger matrix.
  auto const wide = sample_of([](auto& r) {
    std::uint64_t const row = r() & 0xfffff;
    return row << 20 | (row + r() % 256);
  });
  CHECK(msd_is_quicker(wide, {few, 8192, 64, 8, 4, false, false}));
}

TEST_CASE("radix choice: correlated bits") {
  using ordo::cuda_detail::correlated_bits;
  auto const none = sample_of([](auto& r) { return r() >> 32; });
  CHECK(correlated_bits(none, 0) == 0);
  CHECK(correlated_bits(none, 20) == 0);
  CHECK(correlated_bits(none, 32) == 0);
  // The lowest 8 bits are copies of higher bits, or their complements.
  auto const eight = sample_of([](auto& r) {
    std::uint64_t const x = r() >> 40;
    return x << 8 | ((x >> 3 & 0xf) | (~x >> 16 & 0xf) << 4);
  });
  CHECK(correlated_bits(eight, 8) == 8);
  CHECK(correlated_bits(eight, 4) == 4);
  CHECK(correlated_bits(eight, 10) == 8);
  // Bits that are mostly 0 agree by chance.
  CHECK(correlated_bits(sample_of([](auto& r) { return r() & r() & r() & 0xffffffff; }), 20) == 0);
  CHECK(correlated_bits(sample_of([](auto&) { return 5u; }), 2) == 0);
  // The positions of a sample are not correlated with its keys.
  for (std::size_t const n : {std::size_t{1} << 25, std::size_t{1} << 28, std::size_t{100'000'000}}) {
    std::size_t const count = ordo::cuda_detail::tuning::sampled_keys(n), stride = n / count;
    std::vector<std::uint64_t> in_order;
    for (std::size_t i = 0; i < count; ++i) in_order.push_back(i * stride + ordo::cuda_detail::place_in_stride(i, stride));
    CHECK(correlated_bits(in_order, 14) <= 1);
  }
}

TEST_CASE("radix choice: the fullest eighth of a range") {
  using ordo::cuda_detail::densest_eighth;
  using sample = std::vector<std::uint64_t>;
  CHECK(densest_eighth(sample{5}) == 8);
  CHECK(densest_eighth(sample{0, 1, 2, 3, 4, 5, 6, 7}) == 1);
  CHECK(densest_eighth(sample{0, 1, 1, 2, 8}) == 8 * 3 / 5.0);
  CHECK(densest_eighth(sample{0, ~std::uint64_t{0}}) == 4);
}

TEST_CASE("radix choice: counts of each bit") {
  std::mt19937_64 random(2);
  for (std::size_t const n : {0, 1, 254, 255, 256, 510, 511, 1024}) {
    for (std::size_t const stride : {1, 4, 5}) {
      std::vector<std::uint64_t> words(n);
      for (auto& word : words) word = random() | 1;
      auto const ones = ordo::cuda_detail::count_ones(words, stride);
      for (unsigned bit = 0; bit < 64; ++bit) {
        std::size_t expected = 0;
        for (std::size_t i = 0; i < n; i += stride) expected += words[i] >> bit & 1;
        REQUIRE(ones[bit] == expected);
      }
    }
  }
}

TEST_CASE("radix choice: MSD for doubles of both signs, LSD for integers of the same codes") {
  for (std::size_t n : {std::size_t{1} << 24, std::size_t{1} << 28}) {
    auto const is_quicker = [&](bool floats) {
      auto sample = sample_of([](auto& r) { return ordo::radix_key<double>::encode(double(std::int64_t(r())) * 0x1p-63); }, n);
      return msd_is_quicker(sample, {n, 8192, 64, 8, 0, floats, floats});
    };
    CHECK(is_quicker(true));
    CHECK_FALSE(is_quicker(false));
  }
}

TEST_CASE("radix choice: no sample if too few bits count") {
  for (std::size_t n : {std::size_t{1} << 20, std::size_t{1} << 28}) {
    CHECK_FALSE(ordo::cuda_detail::msd_may_be_quicker({n, 8192, 9, 8, 4, false, false}));
    CHECK(ordo::cuda_detail::msd_may_be_quicker({n, 8192, 64, 8, 4, false, false}));
  }
}

TEST_CASE("radix choice: MSD for narrower keys only if they are even") {
  constexpr std::size_t n = std::size_t{1} << 26;
  for (unsigned const bits : {64, 56, 52, 48, 46}) {
    auto const even = sample_of([=](auto& r) { return r() >> (64 - bits); });
    auto const uneven = sample_of([=](auto& r) { return (r() / 4 + r() / 4 + r() / 4 + r() / 4) >> (64 - bits); });
    CHECK(msd_is_quicker(even, {n, 8192, bits, 8, 4, false, false}));
    CHECK(msd_is_quicker(uneven, {n, 8192, bits, 8, 4, false, false}) == (bits > 48));
  }
}

TEST_CASE("radix choice: small sorts sample fewer keys, and choose the same") {
  using numbers = std::mt19937_64;
  for (std::size_t n : {std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{1} << 22, std::size_t{1} << 24}) {
    INFO(n);
    auto const goes_down = [&](auto make) {
      auto sample = sample_of(make, n);
      return msd_is_quicker(sample, {n, 8192, 64, 8, 4, false, false});
    };
    CHECK(goes_down([](numbers& r) { return r(); }));
    CHECK(goes_down([](numbers& r) { return r() / 4 + r() / 4 + r() / 4 + r() / 4; }));  // Gaussian
    CHECK(goes_down([](numbers& r) { return r() >> 32; }));
    CHECK(goes_down([](numbers& r) { return (r() & 15) * 0x123456789abcdef; }));
    CHECK(goes_down([](numbers&) { return std::uint64_t{7}; }));
    CHECK_FALSE(goes_down([](numbers& r) { return std::uint64_t(18446744073709551616.0 / (double(r()) + 1.0)); }));  // Zipf
    CHECK_FALSE(goes_down([](numbers& r) {  // Zipf, of numbers that look random
      return std::uint64_t(std::exp2(20 * (double(r()) / 18446744073709551616.0))) * 0x9e3779b97f4a7c15u;
    }));
    CHECK_FALSE(goes_down([](numbers& r) { return r() & r(); }));
    CHECK_FALSE(goes_down([](numbers& r) { return r() & r() & r() & r() & r(); }));
  }
}

TEST_CASE("radix choice: an empty sample") {
  CHECK(msd_is_quicker({}, {0, 16384, 32, 4, 0, false, false}));
}
