#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ordo/spectra/import.hpp"
#include "ordo/spectra/summary.hpp"
#include "tests/unit/spectra/cases.hpp"

namespace {

using ordo::memory_source;
using namespace ordo::spectra;

summary summary_of(std::string_view text, sort_options options = {}) {
  std::optional<summary> first;
  for (std::size_t const block : block_sizes()) {
    options.chunk_bytes = block;
    memory_source from(text);
    summary const one = summarize(from, options);
    if (!first) first = one;
    CHECK(one.peak_counts == first->peak_counts);
    CHECK(one.duplicates == first->duplicates);
    CHECK(one.charges == first->charges);
    CHECK(one.lines == first->lines);
  }
  return *first;
}

sort_options with_distributions() {
  sort_options options;
  options.distributions = true;
  return options;
}

}  // namespace

TEST_CASE("a summary of spectra", "[spectra][summary]") {
  std::string const text =
      "COM=head\nBEGIN IONS\nTITLE=a\nPEPMASS=500.5\nCHARGE=2+\nRTINSECONDS=12\nSCANS=5\nMSLEVEL=2\n3 1\n1 0\n2 7\n3 2\nEND "
      "IONS\n"
      "BEGIN IONS\nTITLE=b\nPEPMASS=400\nCHARGE=2-\n1 5\n1\n1 8\nEND IONS\n\nBEGIN IONS\nEND IONS\n";
  summary const all = summary_of(text, with_distributions());
  CHECK(all.bytes == text.size());
  CHECK(all.lines == 24);
  CHECK(all.spectra == 3);
  CHECK(all.peaks == 7);
  CHECK(all.in_order == 2);
  CHECK(all.zeros == 1);
  CHECK(all.without_intensity == 1);
  CHECK(all.duplicates == 3);
  CHECK(all.titles == 2);
  CHECK(all.scans == 1);
  CHECK(all.warnings == 0);
  CHECK(all.peak_counts == std::map<std::uint64_t, std::uint64_t>{{0, 1}, {3, 1}, {4, 1}});
  CHECK(all.peaks_at(0) == 0);
  CHECK(all.peaks_at(0.5) == 3);
  CHECK(all.peaks_at(1) == 4);
  CHECK((all.mz.min == 1 && all.mz.max == 3 && all.mz.count == 7));
  CHECK((all.intensity.min == 0 && all.intensity.max == 8 && all.intensity.count == 6));
  CHECK((all.precursor_mz.min == 400 && all.precursor_mz.max == 500.5 && all.precursor_mz.count == 2));
  CHECK((all.rt_seconds.count == 1 && all.rt_seconds.min == 12));
  CHECK(all.charges == std::map<int, std::uint64_t>{{-2, 1}, {0, 1}, {2, 1}});
  CHECK(all.ms_levels == std::map<unsigned, std::uint64_t>{{2, 1}});
  CHECK(all.mz_bins == std::vector<std::uint64_t>{0, 4, 1, 2});
  // 1, 2, 2 and 7, 5, 8: the octaves of 1, 2, 4 and 8.
  auto const one = all.intensity_octaves.begin() - summary::first_octave;
  CHECK(std::vector<std::uint64_t>(one, all.intensity_octaves.end()) == std::vector<std::uint64_t>{1, 1, 2, 1});
  summary const without = summary_of(text);
  CHECK((without.mz_bins.empty() && without.intensity_octaves.empty() && without.precursors.cells().empty()));
  CHECK((without.mz.count == 7 && without.zeros == 1));
  CHECK(all.precursors.cells() == std::map<value_grid::cell, std::uint64_t>{{{12, 500}, 1}});
}

TEST_CASE("the extremes of numbers have bins", "[spectra][summary]") {
  summary const all = summary_of("BEGIN IONS\n-3 -1\n1e300 1e308\n65534.5 5e-324\n0.5 0\nEND IONS\n", with_distributions());
  CHECK(all.mz_bins.size() == summary::max_mz_bins);
  CHECK((all.mz_bins.front() == 2 && all.mz_bins[65534] == 1 && all.mz_bins.back() == 1));
  CHECK(all.intensity_octaves.size() == std::size_t(1023 - summary::first_octave + 1));
  CHECK((all.intensity_octaves.front() == 1 && all.intensity_octaves.back() == 1 && all.negative == 1 && all.zeros == 1));
}

TEST_CASE("cells of a grid become wider, whatever the order of points", "[spectra][summary]") {
  std::mt19937 random(3);
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < 20000; ++i) points.emplace_back(double(random() % 40000) / 4 - 1000, double(random() % 3000) / 2);
  value_grid one;
  for (auto const& [x, y] : points) one.add(x, y);
  std::shuffle(points.begin(), points.end(), random);
  value_grid parts[7], all;
  for (std::size_t i = 0; i < points.size(); ++i) parts[i % 7 * (i % 2)].add(points[i].first, points[i].second);
  for (value_grid const& part : parts) all.add(part);
  CHECK(all.width() == one.width());
  CHECK(all.cells() == one.cells());
  CHECK((one.cells().size() <= value_grid::max_cells && one.width() > 1));
  std::uint64_t count = 0;
  for (auto const& [at, n] : one.cells()) count += n;
  CHECK(count == points.size());
  std::size_t const before = one.cells().size();
  one.add(std::numeric_limits<double>::quiet_NaN(), 1);
  one.add(1, std::numeric_limits<double>::infinity());
  CHECK(one.cells().size() == before);
  one.add(1e300, -1e300);
  CHECK(one.cells().size() == before + 1);
}

TEST_CASE("summaries before and after filters", "[spectra][summary]") {
  std::string text;
  for (int s = 0; s < 30; ++s) {
    text += "BEGIN IONS\nTITLE=" + std::to_string(s) + "\nPEPMASS=" + std::to_string(100 + s) + "\n";
    for (int i = 0; i < s; ++i) text += std::to_string(i * 7 % 30) + " " + std::to_string(i % 5) + "\n";
    text += "END IONS\n";
  }
  sort_options options = with_distributions();
  options.choice.precursor_mz = {{{105, 200}}, false};
  options.choice.title = {"7", true};
  options.select.drop_zero = true;
  options.select.top = 10;
  options.select.min_peaks = 8;
  std::optional<comparison> first;
  for (std::size_t const block : block_sizes()) {
    options.chunk_bytes = block;
    memory_source from(text);
    comparison const one = compare(from, options, format::mgf);
    if (!first) first = one;
    REQUIRE(one.steps.size() == 5);
    for (std::size_t k = 0; k < 5; ++k) {
      CHECK(one.steps[k].spectra == first->steps[k].spectra);
      CHECK(one.steps[k].peaks == first->steps[k].peaks);
    }
    CHECK(one.after.peak_counts == first->after.peak_counts);
  }
  std::vector<std::string> names;
  for (auto const& step : first->steps) names.push_back(step.option);
  CHECK(names == lines{"--precursor 105:200", "--title !7", "--drop-zero", "--top 10", "--min-peaks 8"});
  CHECK((first->steps[0].spectra == 5 && first->steps[0].peaks == 0 + 1 + 2 + 3 + 4));
  CHECK((first->steps[1].spectra == 1 && first->steps[1].peaks == 7));
  // What is left is what sort() leaves.
  text_stream stream(text);
  ordo::spectra::sort(stream, stream, options);
  summary const after = summary_of(stream.written, with_distributions());
  CHECK(after.peak_counts == first->after.peak_counts);
  CHECK((after.in_order == first->after.in_order && after.mz_bins == first->after.mz_bins));
  std::uint64_t taken = 0;
  for (auto const& step : first->steps) taken += step.peaks;
  CHECK(first->before.peaks - taken == after.peaks);
  // Several inputs are added up.
  spectrum_inputs const two{
      2, [&](std::size_t k) {
        return spectrum_inputs::opened{std::make_unique<memory_source>(text), std::to_string(k), 0, format::mgf};
      }};
  comparison const both = compare(two, options);
  CHECK((both.before.spectra == 60 && both.before.bytes == 2 * text.size() && both.before.lines == 2 * first->before.lines));
  CHECK((both.after.peaks == 2 * after.peaks && both.steps[1].peaks == 2 * first->steps[1].peaks));
  memory_source nothing("");
  comparison const none = compare(nothing, options, format::mgf);
  CHECK((none.steps.size() == 5 && none.steps[4].option == "--min-peaks 8" && none.steps[4].spectra == 0));
  options.select.top = 0;
  memory_source again(text);
  CHECK_THROWS_AS(compare(again, options, format::mgf), ordo::usage_error);
}

TEST_CASE("a summary of nothing, and of what is not right", "[spectra][summary]") {
  summary const nothing = summary_of("");
  CHECK(nothing.spectra == 0);
  CHECK(nothing.peaks_at(0.5) == 0);
  CHECK(nothing.mz.count == 0);
  CHECK(summary_of("BEGIN IONS\nPEPMASS=1,5\nSCANS=x\n1 2\nEND IONS\n").warnings == 2);
  CHECK_THROWS_AS(summary_of("BEGIN IONS\n300,5 1\nEND IONS\n"), ordo::input_error);
  CHECK(summary_of("BEGIN IONS\n300,5 1\n1 1\nEND IONS\n", lenient()).peaks == 1);
}
