#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/streams.hpp"
#include "ordo/spectra/choice.hpp"
#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/order.hpp"
#include "ordo/spectra/read.hpp"
#include "spectra/mgf/line.hpp"
#include "tests/unit/spectra/cases.hpp"

// Which spectra are chosen. tests/reference/specsort_choice_reference.py says what is right for any input; here are the parts,
// and what must not matter: chunks, machines, threads, streams.
namespace {

using namespace ordo::spectra;
using ordo::usage_error;

std::string many(std::size_t count) {
  std::string text = "COM=head\n\n";
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("BEGIN IONS\nTITLE=t{}\nMSLEVEL={}\nRTINSECONDS={}\n2 1\n1 5\nEND IONS\n{}", i, 1 + i % 2, 10 * i,
                        i % 3 == 0 ? "\n" : "");
  return text;
}

std::vector<std::string> titles(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; (at = text.find("TITLE=", at)) != text.npos; ++at)
    all.emplace_back(text.substr(at + 6, text.find('\n', at) - at - 6));
  return all;
}

std::shared_ptr<std::vector<std::uint64_t> const> list_of(std::vector<std::uint64_t> all) {
  return std::make_shared<std::vector<std::uint64_t> const>(std::move(all));
}

spectrum_inputs inputs_of(std::vector<std::string> const& texts) {
  spectrum_inputs from;
  from.count = texts.size();
  from.open = [&texts](std::size_t k) {
    return spectrum_inputs::opened{std::make_unique<text_stream>(texts[k]), fmt::format("in{}", k)};
  };
  return from;
}

TEST_CASE("patterns of titles", "[spectra][choice]") {
  CHECK(matches_pattern("", ""));
  CHECK(!matches_pattern("", "a"));
  CHECK(matches_pattern("*", ""));
  CHECK(matches_pattern("**", "abc"));
  CHECK(matches_pattern("a?c", "abc"));
  CHECK(!matches_pattern("a?c", "ac"));
  CHECK(matches_pattern("*b*d", "abcbd"));
  CHECK(!matches_pattern("*b*d", "abcbdc"));
  CHECK(matches_pattern("run.*.2", "run.17.17.2"));
  CHECK(matches_pattern("[x]\\*\\?\\\\", "[x]*?\\"));
  CHECK(!matches_pattern("\\*", "a"));
  CHECK(matches_pattern("a\\", "a\\"));
  std::string const long_text(20000, 'a');
  CHECK(!matches_pattern("*****************b", long_text));
  CHECK(!matches_pattern("*a*a*a*a*a*a*a*a*b", long_text));
}

TEST_CASE("spectra of MGF are counted by their first lines", "[spectra][choice]") {
  using ordo::spectra::detail::count_spectra;
  CHECK(count_spectra("") == 0);
  CHECK(count_spectra("BEGIN IONS\r\nTITLE=BEGIN IONS\r\n\xef\xbb\xbf \tBEGIN IONS \rBEGIN IONS") == 3);
  CHECK(count_spectra("xBEGIN IONS\nBEGIN IONSx\n BEGIN  IONS\n") == 0);
}

TEST_CASE("chosen spectra of MGF", "[spectra][choice]") {
  std::string const text = many(40);
  sort_options options;
  SECTION("by MS level and time") {
    options.choice.ms_levels.ranges = {{2, 3}};
    options.choice.rt_seconds = {{{0, 30}, {90, 110}}, true};
    std::string const out = sorted(text, options);
    CHECK(titles(out).front() == "t5");
    CHECK(titles(out).size() == 20 - 4);
    CHECK(out.starts_with("COM=head\n\nBEGIN IONS\nTITLE=t5\nMSLEVEL=2\nRTINSECONDS=50\n1 5\n2 1\nEND IONS\nBEGIN"));
  }
  SECTION("by number, in chunks of any size") {
    options.choice.numbers = list_of({0, 7, 39, 40, 1000});
    CHECK(titles(sorted(text, options)) == std::vector<std::string>{"t0", "t7", "t39"});
    options.choice.inverse_numbers = true;
    CHECK(titles(sorted(text, options)).size() == 37);
  }
  SECTION("by a table of matches, which sets SEQ=") {
    named_spectra named;
    named.by_number = {{0, "PEP"}, {7, ""}};
    named.by_id = {{"t39", "K"}};
    options.choice.named = std::make_shared<named_spectra const>(named);
    std::string const out = sorted(text, options);
    CHECK(titles(out) == std::vector<std::string>{"t0", "t7", "t39"});
    CHECK(out.find("BEGIN IONS\nSEQ=PEP\nTITLE=t0\n") != out.npos);
    CHECK(out.find("BEGIN IONS\nTITLE=t7\n") != out.npos);
    CHECK(out.find("BEGIN IONS\nSEQ=K\nTITLE=t39\n") != out.npos);
    options.choice.inverse_named = true;
    CHECK(titles(sorted(text, options)).size() == 37);
  }
  SECTION("by the sums of peaks") {
    options.choice.total_ion_current.ranges = {{6, 6}};
    options.choice.base_peak.ranges = {{5, 5}};
    CHECK(titles(sorted(text, options)).size() == 40);
    options.choice.base_peak.inverse = true;
    CHECK(titles(sorted(text, options)).empty());
  }
  SECTION("titles made anew, and a report of what is left out") {
    options.title_template = "{index}|{title}|{rt}|{charge}{";
    options.machine.device = ordo::device::cpu;
    auto const sort_to_text = [&] {
      ordo::memory_source from(text);
      ordo::growing_sink to;
      ordo::spectra::sort(static_cast<ordo::source&>(from), to, options);
      return std::string(to.text());
    };
    CHECK_THROWS_AS(sort_to_text(), usage_error);
    options.title_template = "{index}|{title}|{rt}|{charge}";
    CHECK(titles(sort_to_text())[7] == "7|t7|70|");
    options.title_template.clear();
    options.choice.ms_levels.ranges = {{2, 2}};
    options.choice.rt_seconds.ranges = {{0, 40}};
    options.select.min_intensity = 5;
    options.select.min_peaks = 2;
    std::vector<std::string> dropped;
    options.on_dropped = [&](std::span<dropped_spectrum const> all) {
      for (auto const& [number, offset, option] : all) {
        CHECK(std::string_view(text).substr(offset).starts_with("BEGIN IONS"));
        dropped.push_back(fmt::format("{} {}", number, option));
      }
    };
    for (std::size_t const bytes : {1, 1 << 20}) {
      dropped.clear();
      options.chunk_bytes = bytes;
      static_cast<void>(sort_to_text());
      REQUIRE(dropped.size() == 40);
      CHECK(dropped[0] == "0 --ms-level 2");
      CHECK(dropped[1] == "1 --min-peaks 2");
      CHECK(dropped[39] == "39 --rt 0:40");
    }
  }
  SECTION("everything and nothing") {
    options.choice.title.pattern.emplace("*");
    CHECK(sorted(text, options) == sorted(text));
    options.choice.title.inverse = true;
    CHECK(sorted(text, options) == "COM=head\n\n");
    CHECK(sorted("", options).empty());
  }
  SECTION("filters of one MS level") {
    options.select.top = 1;
    options.select.min_peaks = 2;
    options.select_levels.ranges = {{2, 2}};
    std::string const out = sorted(text, options);
    CHECK(titles(out).size() == 20);
    CHECK(out.find("TITLE=t0\nMSLEVEL=1\nRTINSECONDS=0\n1 5\n2 1\nEND") != out.npos);
  }
  SECTION("reading") {
    options.choice.ms_levels.ranges = {{1, 1}};
    text_stream from(text);
    CHECK(read_spectra(from, options).size() == 20);
  }
}

TEST_CASE("spectra that do not state a value are counted", "[spectra][choice]") {
  std::vector<std::string> warnings;
  sort_options options;
  options.choice.ms_levels = {{{2, 2}}, true};
  options.choice.native_id.pattern.emplace("*");
  options.on_warning = [&](std::string const& one) { warnings.push_back(one); };
  std::string const text = "BEGIN IONS\nTITLE=a\nEND IONS\nBEGIN IONS\nMSLEVEL=1\nTITLE=NativeID:\"scan=1\"\nEND IONS\n";
  text_stream stream(text);
  auto const report = sort(stream, stream, options);
  CHECK(report.spectra_kept == 1);
  CHECK(warnings == std::vector<std::string>{"input: 1 spectrum does not state an MS level, and is chosen",
                                             "input: 1 spectrum does not state a native id, and is not chosen"});
}

TEST_CASE("samples", "[spectra][choice]") {
  sample_rule const rule{.seed = 3};
  std::vector<std::uint64_t> ranks;
  for (std::uint64_t i = 0; i < 10000; ++i) ranks.push_back(rule.rank(i));
  std::ranges::sort(ranks);
  CHECK(std::ranges::adjacent_find(ranks) == ranks.end());
  CHECK(ranks[5000] / double(~std::uint64_t{0}) > 0.45);
  CHECK(ranks[5000] / double(~std::uint64_t{0}) < 0.55);

  std::vector<std::string> const texts{many(30), "", many(50)};
  sort_options options;
  options.choice.ms_levels.ranges = {{1, 1}};
  for (std::uint64_t const count : {1u, 7u, 40u, 100u})
    for (bool const inverse : {false, true}) {
      sort_options sampling = options;
      sampling.chunk_bytes = 200;
      sampling.choice.sample = find_sample(inputs_of(texts), options, count, 9);
      sampling.choice.sample->inverse = inverse;
      text_stream out("");
      auto const report = order_spectra(inputs_of(texts), out, sampling, {});
      std::uint64_t const sampled = std::min<std::uint64_t>(count, 40);
      CHECK(report.done.spectra_kept == (inverse ? 40 - sampled : sampled));
    }
}

TEST_CASE("choices that are refused", "[spectra][choice]") {
  text_stream stream("");
  auto const refused = [&](auto change) {
    sort_options options;
    change(options.choice);
    CHECK_THROWS_AS(sort(stream, stream, options), usage_error);
  };
  refused([](spectrum_choice& one) { one.ms_levels.ranges = {{3, 2}}; });
  refused([](spectrum_choice& one) { one.rt_seconds.ranges = {{0, std::numeric_limits<double>::quiet_NaN()}}; });
  refused([](spectrum_choice& one) { one.numbers = list_of({1, 1}); });
}

}  // namespace
