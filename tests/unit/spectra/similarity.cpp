#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/spectra/similarity.hpp"
#include "tests/unit/spectra/cases.hpp"

namespace {

using namespace ordo::spectra;

constexpr double missing = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

// Spectra whose peaks are given as m/z, intensity, m/z, ...
struct made {
  std::vector<double> mz, intensity, precursor;
  std::vector<std::uint64_t> offsets{0};

  void add(double of, std::vector<double> const& peaks) {
    for (std::size_t i = 0; i < peaks.size(); i += 2) {
      mz.push_back(peaks[i]);
      intensity.push_back(peaks[i + 1]);
    }
    offsets.push_back(mz.size());
    precursor.push_back(of);
  }
  [[nodiscard]] spectra_view view() const { return {mz, intensity, offsets, precursor}; }
};

similarity_rule rule(double min_cosine, double peaks, std::optional<tolerance> precursor = tolerance{20, true}) {
  similarity_rule rule;
  rule.min_cosine = min_cosine;
  rule.peaks = {peaks, false};
  rule.precursor = precursor;
  return rule;
}

}  // namespace

TEST_CASE("of equal products the last pair of peaks is taken", "[spectra][similarity]") {
  made all;
  all.add(500, {100, 2, 101.2, 1});
  all.add(500, {99.9, 1, 100.9, 1});  // 100 is as high with either; with the second one, which is last, it leaves none to 101.2
  auto const found = find_pairs(all.view(), rule(0.1, 1));
  REQUIRE(found.size() == 1);
  CHECK(found[0].matches == 1);
  CHECK(std::abs(found[0].cosine - 2 / std::sqrt(10.0)) < 1e-15);
}

TEST_CASE("peaks and precursors that are no numbers match nothing", "[spectra][similarity]") {
  made all;
  all.add(missing, {100, 1});
  all.add(500, {100, 1, missing, 1, infinite, 1, 100, -3, 200, missing});
  all.add(500, {100, 1, infinite, 1});
  all.add(500, {100, 0, 200, 0});
  all.add(500, {});
  all.add(500, {100, infinite});
  auto const found = find_pairs(all.view(), rule(0.01, 0.5));
  REQUIRE(found.size() == 1);
  CHECK((found[0].first == 1 && found[0].second == 2 && found[0].matches == 1));
  CHECK(find_pairs(all.view(), rule(0.01, 0.5, std::nullopt)).size() == 3);
  CHECK(find_pairs({}, rule(0.5, 0)).empty());
}

TEST_CASE("many spectra without a precursor are similar to each other", "[spectra][similarity]") {
  made all;
  for (int s = 0; s < 8; ++s) all.add(missing, {100, 5});
  CHECK(find_pairs(all.view(), rule(0.9, 0.1)).empty());
  CHECK(find_pairs(all.view(), rule(0.9, 0.1, std::nullopt)).size() == 28);
}

TEST_CASE("ppm of shifted peaks are those of the first spectrum's m/z", "[spectra][similarity]") {
  made all;
  all.add(700, {300, 5});
  all.add(500, {100.005, 5});  // 20 ppm of 300 are 0.006, of 100 they are 0.002
  for (int s = 0; s < 8; ++s) all.add(510 + s, {900.0 + 7 * s, 5});
  similarity_rule by = rule(0.5, 20, tolerance{250, false});
  by.peaks.ppm = by.modified = true;
  auto const found = find_pairs(all.view(), by);
  REQUIRE(found.size() == 1);
  CHECK((found[0].first == 0 && found[0].second == 1 && found[0].matches == 1));
}

TEST_CASE("many spectra, in several tiles, have the pairs of each one", "[spectra][similarity]") {
  made all;
  constexpr std::size_t count = 20'000;
  for (std::size_t s = 0; s < count; ++s) all.add(double(400 + s % 7), {double(100 + s % 50), 1, double(1000 + s / 2), 5});
  for (unsigned const threads : {1u, 3u}) {
    ordo::machine_options on;
    on.threads = threads;
    auto const found = find_pairs(all.view(), rule(0.9, 0.01, tolerance{1, false}), on);
    REQUIRE(found.size() ==
            count / 2 - (count / 2 + 3) / 7);  // s and s + 1 share a peak, unless their precursors are 406 and 400
    bool is_right = true;
    for (auto const& pair : found) is_right &= pair.first % 2 == 0 && pair.second == pair.first + 1 && pair.matches == 1;
    CHECK(is_right);
  }
}

TEST_CASE("clusters, and what is made of them", "[spectra][similarity]") {
  std::vector<similar_pair> const chain{{0, 1, 0.8, 2}, {1, 2, 0.9, 2}, {2, 4, 0.9, 2}};
  CHECK(find_clusters(5, chain, cluster_method::connected) == std::vector<std::uint64_t>{2, 2, 2, 3, 2});
  CHECK(find_clusters(5, chain, cluster_method::greedy) == std::vector<std::uint64_t>{1, 1, 1, 3, 4});
  CHECK(find_clusters(0, {}, cluster_method::greedy).empty());
  CHECK_THROWS_AS(find_clusters(4, chain, cluster_method::connected), ordo::usage_error);

  spectrum_columns two;
  two.mz = {100, 200, 300, 100.02, 200};
  two.intensity = {30, 40, 0, 3, 4};
  two.offsets = {0, 3, 5};
  two.precursor_mz = two.rt_seconds = {500, 501};
  two.charge = {2, 3};
  two.ms_level = {2, 2};
  two.ion_mobility = {1, 2};
  two.scan = {10, 11};
  two.polarity = {1, -1};
  two.titles.offsets = two.native_ids.offsets = two.sequences.offsets = {0, 0, 0};
  spectrum_columns const one = make_consensus(two, std::vector<std::uint64_t>{1, 1}, {0.05, false});
  CHECK(one.mz == std::vector<double>{100.01, 200});
  CHECK(one.intensity == std::vector<double>{3, 4});
  CHECK((one.size() == 1 && one.charge[0] == 3 && one.precursor_mz[0] == 501 && one.scan[0] == 11));
  CHECK(make_consensus(two, std::vector<std::uint64_t>{0, 1}, {0, false}).mz == two.mz);
  CHECK_THROWS_MATCHES(make_consensus(two, std::vector<std::uint64_t>{0}, {0, false}), ordo::usage_error,
                       Catch::Matchers::Message("bad clusters: consensus: not as many as spectra"));
}

TEST_CASE("wrong calls of the comparison of spectra", "[spectra][similarity]") {
  made all;
  all.add(500, {100, 1, 101, 1});
  for (auto const& bad : {rule(0, 1), rule(1.1, 1), rule(missing, 1), rule(0.5, -1), rule(0.5, infinite), rule(0.5, missing),
                          rule(0.5, 1, tolerance{600'000, true}), rule(0.5, 1, tolerance{-1, false})})
    CHECK_THROWS_AS(find_pairs(all.view(), bad), ordo::usage_error);
  spectra_view view = all.view();
  view.intensity = view.intensity.first(1);
  CHECK_THROWS_AS(find_pairs(view, rule(0.5, 1)), ordo::usage_error);
  view = all.view();
  view.offsets = view.offsets.first(1);
  CHECK_THROWS_AS(find_pairs(view, rule(0.5, 1)), ordo::usage_error);
  std::vector<std::uint64_t> const far{0, 3};
  view = all.view();
  view.offsets = far;
  CHECK_THROWS_AS(find_pairs(view, rule(0.5, 1)), ordo::usage_error);
}
