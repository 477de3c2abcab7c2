#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ordo/gpu.hpp"
#include "ordo/spectra/arrays.hpp"
#include "tests/unit/spectra/cases.hpp"

// Which peaks stay. tests/reference/specsort_reference.py says what is right for any input; here are cases that can be read,
// and what must not matter: blocks, machines, threads, streams.
namespace {

using namespace ordo::spectra;
using ordo::usage_error;

sort_options selecting(selection const& which) {
  sort_options options;
  options.select = which;
  return options;
}

/// A spectrum of these lines.
std::string spectrum_of(lines const& all) {
  std::string text = "BEGIN IONS\n";
  for (auto const& line : all) text += line + "\n";
  return text + "END IONS\n";
}

/// Returns the kept lines of one spectrum.
lines left_of(lines const& all, selection const& which, sort_options options = {}) {
  options.select = which;
  std::string_view text = "";
  std::string const out = sorted(spectrum_of(all), options);
  text = out;
  lines left;
  while (!text.empty()) {
    std::size_t const end = text.find('\n');
    left.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (left.empty()) return left;
  CHECK(left.front() == "BEGIN IONS");
  CHECK(left.back() == "END IONS");
  return {left.begin() + 1, left.end() - 1};
}

template <class Set>
selection with(Set set) {
  selection one;
  set(one);
  return one;
}

selection top(std::size_t n) {
  return with([=](selection& s) { s.top = n; });
}

}  // namespace

TEST_CASE("the greatest peaks stay", "[spectra][select]") {
  lines const all{"TITLE=x", "5 1", "1 3", "# in between", "4 9", "2 3 b", "3 3"};
  CHECK(left_of(all, top(1)) == lines{"TITLE=x", "# in between", "4 9"});
  // Equal intensities: the smaller m/z is kept, whatever its place.
  CHECK(left_of(all, top(2)) == lines{"TITLE=x", "1 3", "# in between", "4 9"});
  CHECK(left_of(all, top(3)) == lines{"TITLE=x", "1 3", "# in between", "2 3 b", "4 9"});
  CHECK(left_of(all, top(5)) == lines{"TITLE=x", "1 3", "2 3 b", "# in between", "3 3", "4 9", "5 1"});
  // Equal m/z: the earlier peak is kept; one without intensity comes last.
  CHECK(left_of({"1 2 b", "1 2 a", "1 2 c"}, top(2)) == lines{"1 2 b", "1 2 a"});
  CHECK(left_of({"1", "2 0", "3 -5"}, top(2)) == lines{"2 0", "3 -5"});
  CHECK(left_of({"3", "2", "1"}, top(2)) == lines{"1", "2"});
  // Then come the orders as ever.
  CHECK(left_of({"1 1", "2 5", "3 2", "4 9"}, top(3), by_intensity()) == lines{"3 2", "2 5", "4 9"});
  CHECK(left_of({"1 1", "2 5", "3 2", "4 9"}, top(3), by_intensity(true)) == lines{"4 9", "2 5", "3 2"});
}

TEST_CASE("the greatest peaks of each window stay", "[spectra][select]") {
  auto const windows = [](std::size_t n, double width) {
    return with([=](selection& s) {
      s.top = n;
      s.per = width;
    });
  };
  lines const all{"199.99 7", "100 1", "100.5 2", "200 1", "299 3", "250 2", "-1 4", "-100 5"};
  CHECK(left_of(all, windows(1, 100)) == lines{"-100 5", "199.99 7", "299 3"});
  CHECK(left_of(all, windows(2, 100)) == lines{"-100 5", "-1 4", "100.5 2", "199.99 7", "250 2", "299 3"});
  CHECK(left_of(all, windows(1, 1000)) == lines{"-100 5", "199.99 7"});
}

TEST_CASE("thresholds", "[spectra][select]") {
  lines const all{"1 0", "2 -0.0", "3 1", "4", "5 100", "6 0.99"};
  CHECK(left_of(all, with([](selection& s) { s.drop_zero = true; })) == lines{"3 1", "4", "5 100", "6 0.99"});
  CHECK(left_of(all, with([](selection& s) { s.min_intensity = 1; })) == lines{"3 1", "5 100"});
  CHECK(left_of(all, with([](selection& s) { s.min_relative = 0.01; })) == lines{"3 1", "5 100"});
  CHECK(left_of(all, with([](selection& s) { s.min_relative = 0; })) == lines{"1 0", "2 -0.0", "3 1", "5 100", "6 0.99"});
  CHECK(left_of({"1 0", "2 -3", "3"}, with([](selection& s) { s.min_relative = 0.5; })) == lines{"1 0", "2 -3", "3"});
  CHECK(left_of(all, with([](selection& s) { s.min_mz = 3; })) == lines{"3 1", "4", "5 100", "6 0.99"});
  CHECK(left_of(all, with([](selection& s) { s.min_mz = 2, s.max_mz = 4; })) == lines{"2 -0.0", "3 1", "4"});
  // The greatest is that of what the range has left.
  CHECK(left_of(all, with([](selection& s) { s.max_mz = 4, s.min_relative = 0.5; })) == lines{"3 1"});
}

TEST_CASE("the precursor goes", "[spectra][select]") {
  auto const precursor = [](tolerance near, bool all) {
    return with([=](selection& s) {
      s.remove_precursor = near;
      s.all_charges = all;
    });
  };
  lines const all{"PEPMASS=500 1 3+", "498 1", "498.4 2", "500.5 3", "502 4", "749.496 5", "1497.978 6"};
  CHECK(left_of(all, precursor({2, false}, false)) == lines{"PEPMASS=500 1 3+", "749.496 5", "1497.978 6"});
  CHECK(left_of(all, precursor({2, false}, true)) == lines{"PEPMASS=500 1 3+"});
  CHECK(left_of(all, precursor({1000, true}, false)) ==
        lines{"PEPMASS=500 1 3+", "498 1", "498.4 2", "502 4", "749.496 5", "1497.978 6"});
  // [M - 2H]2- at 500 is [M - H]- at 1001.007.
  CHECK(left_of({"CHARGE=2-", "PEPMASS=500", "998.993 1", "1001.007 2"}, precursor({0.1, false}, true)) ==
        lines{"CHARGE=2-", "PEPMASS=500", "998.993 1"});

  sort_options options = selecting(precursor({2, false}, true));
  std::string const none = spectrum_of({"TITLE=x", "500 1"}) + spectrum_of({"PEPMASS=500", "500 1"}) + spectrum_of(all);
  std::string out(none.size(), '?');
  CHECK(ordo::spectra::sort(std::span<char const>(none), out, options).missing_precursor == 2);
  CHECK(refusal(spectrum_of({"PEPMASS=281,2013306", "5 1"}), options) ==
        "decimal comma: f.mgf:2: 'PEPMASS=281,2013306'; a point is expected");
  CHECK(refusal(spectrum_of({"TITLE=x", "CHARGE=two", "5 1"}), options) == "not a number: f.mgf:3: the value of 'CHARGE=two'");
  CHECK(refusal(spectrum_of({"PEPMASS=281,2013306", "5 1"}), selecting(top(1))).empty());
  options.lenient = true;
  CHECK(warnings(spectrum_of({"PEPMASS=1,5", "5 1"}), options) ==
        lines{"decimal comma: f.mgf:2: 'PEPMASS=1,5'; a point is expected"});
}

TEST_CASE("a spectrum of MS level 1 has no precursor", "[spectra][select]") {
  auto const near = with([](selection& s) {
    s.remove_precursor = tolerance{1, false};
    s.all_charges = true;
  });
  lines const peaks{"PEPMASS=200.1", "CHARGE=2+", "200.1 1000", "399.19 2"};
  auto const of_level = [&](std::string const& level) {
    lines all{level};
    all.insert(all.end(), peaks.begin(), peaks.end());
    return left_of(all, near).size();
  };
  CHECK(of_level("MSLEVEL=1") == 5);
  for (std::string const level : {"MSLEVEL=2", "MSLEVEL=", "MSLEVEL=0", "USER=1"}) CHECK(of_level(level) == 3);

  // None is missing there.
  std::string const text = spectrum_of({"MSLEVEL=1", "1 1"}) + spectrum_of({"MSLEVEL=2", "1 1"});
  std::string out = text;
  CHECK(ordo::spectra::sort(std::span<char const>(text), out, selecting(near)).missing_precursor == 1);
}

TEST_CASE("one of near peaks stays", "[spectra][select]") {
  auto const near = [](double value, bool ppm = false) {
    return with([=](selection& s) { s.dedupe = tolerance{value, ppm}; });
  };
  // 2 is near 1 and 3, but 3 is the greatest of the chain.
  CHECK(left_of({"1 2", "2 5", "3 9", "4 5", "5 1"}, near(1)) == lines{"1 2", "3 9", "5 1"});
  CHECK(left_of({"7 1", "7 3", "7 3 b", "7.5 2"}, near(0)) == lines{"7 3", "7.5 2"});
  CHECK(left_of({"2 1", "1 1", "3 1"}, near(1)) == lines{"1 1", "3 1"});
  // ppm refer to the peak that is kept: 1000 - 999.9 is more than 100 ppm of 999.9, but not of 1000.
  CHECK(left_of({"999.9 5", "1000 4"}, near(100, true)) == lines{"999.9 5", "1000 4"});
  CHECK(left_of({"999.9 4", "1000 5"}, near(100.00001, true)) == lines{"1000 5"});
  CHECK(left_of({"1", "2", "3 1"}, near(1)) == lines{"1", "3 1"});
}

TEST_CASE("near peaks are merged, and their lines printed anew", "[spectra][select]") {
  auto const merged = [](std::string const& text, sort_options options, double value = 1) {
    options.select.merge = tolerance{value, false};
    std::optional<std::string> first;
    for (ordo::device where : devices()) {
      options.machine = {where, 2};
      for (std::size_t const block : block_sizes()) {
        options.chunk_bytes = block;
        text_stream stream(text);
        ordo::spectra::sort(stream, stream, options);
        if (!first) first = stream.written;
        CHECK(stream.written == *first);
      }
    }
    return *first;
  };
  // 3 is the greatest; 2 and 4 are added to it, and 1 and 5 have no other peak left. What is after an intensity stays.
  CHECK(merged(spectrum_of({"# 1", "5 1", " 3\t9.5\ty3 ", "1 2", "2 5", "4 5"}), {}) ==
        spectrum_of({"# 1", "1 2", " 3\t19.5\ty3 ", "5 1"}));
  CHECK(merged(spectrum_of({"1 0.1", "1 0.2"}), {}, 0) == spectrum_of({"1 0.30000000000000004"}));
  CHECK(merged(spectrum_of({"1 -3", "1", "1 0", "7 1e2"}), {}, 0) == spectrum_of({"1 -3", "7 1e2"}));
  CHECK(merged(spectrum_of({"1", "1"}), {}, 0) == spectrum_of({"1"}));
  CHECK(merged(spectrum_of({"1 1e22", "1 1"}), {}, 0) == spectrum_of({"1 1e22"}));
  // The output may be longer than the input, and the last line may have no end.
  CHECK(merged("BEGIN IONS\n1 .1\n1 .2", lenient(), 0) == "BEGIN IONS\n1 0.30000000000000004");
  CHECK(merged("BEGIN IONS\n3 1\r\n2 1\n3 5", lenient(), 0) == "BEGIN IONS\n2 1\n3 6");
  // The steps after it see sums, and so does the order of peaks.
  sort_options options = by_intensity(true);
  options.select.top = 1;
  CHECK(merged(spectrum_of({"1 4", "8 3", "8.5 2"}), options) == spectrum_of({"8 5"}));
  options.select.top.reset();
  CHECK(merged(spectrum_of({"1 4", "8 3", "8.5 2"}), options) == spectrum_of({"8 5", "1 4"}));
  // The limits of intensity see sums where peaks are merged first, and the peaks of the input where not.
  options = {};
  options.select.min_intensity = 5;
  std::string const halves = spectrum_of({"1 3", "1.5 4", "3 9", "3.2 2", "9 4"});
  CHECK(merged(halves, options) == spectrum_of({"3 9"}));
  options.select.merge_first = true;
  CHECK(merged(halves, options) == spectrum_of({"1.5 7", "3 11"}));
  options.select.max_mz = 3.1;
  options.select.min_relative = 0.7;
  options.select.min_peaks = 1;
  CHECK(merged(halves, options) == spectrum_of({"1.5 7", "3 9"}));
  CHECK(merged(spectrum_of({"1 3", "1.5", "4 1e-9"}), options, 0).find("1.5") == std::string::npos);
  options.select = {};
  options.select.merge_first = true;
  CHECK_THROWS_AS(sorted(halves, options), usage_error);
  // Spectra to which no filter applies keep their peaks.
  options = {};
  options.select_levels = {{{2, 2}}, false};
  std::string const other = spectrum_of({"MSLEVEL=1", "1 1", "1 2"});
  CHECK(merged(other + spectrum_of({"MSLEVEL=2", "1 1", "1 2"}), options) == other + spectrum_of({"MSLEVEL=2", "1 3"}));
  std::string text = other;
  options.select.merge = tolerance{1, false};
  CHECK_THROWS_AS(ordo::spectra::sort(std::span<char const>(text), text, options), usage_error);
}

TEST_CASE("spectra with few peaks left go", "[spectra][select]") {
  std::string const text = "COM=head\n# before\n" + spectrum_of({"TITLE=a", "1 1", "2 9"}) + "\n# between\n" +
                           spectrum_of({"TITLE=b", "1 9", "# note", "2 9"}) + spectrum_of({}) + "# after";
  selection which;
  which.min_intensity = 5;
  which.min_peaks = 2;
  CHECK(sorted(text, selecting(which)) ==
        "COM=head\n# before\n\n# between\n" + spectrum_of({"TITLE=b", "1 9", "# note", "2 9"}) + "# after");
  which.min_peaks = 3;
  CHECK(sorted(text, selecting(which)) == "COM=head\n# before\n\n# between\n# after");
}

TEST_CASE("the end of the last line, where peaks go", "[spectra][select]") {
  sort_options options = lenient();
  options.select = top(2);
  CHECK(sorted("BEGIN IONS\r\n3 1\r\n1 2\r\n2 3", options) == "BEGIN IONS\r\n1 2\r\n2 3");
  CHECK(sorted("BEGIN IONS\r\n3 2\r\n2 1\r\n1 3", options) == "BEGIN IONS\r\n1 3\r\n3 2");
  CHECK(sorted("BEGIN IONS\r\n3 2\r\n2 3\r\n1 1", options) == "BEGIN IONS\r\n2 3\r\n3 2\r\n");
  CHECK(sorted("BEGIN IONS\n3 1\n1 2\n2 3\nEND IONS", options) == "BEGIN IONS\n1 2\n2 3\nEND IONS");
}

TEST_CASE("selections that make no sense are refused", "[spectra][select]") {
  std::vector<selection> const bad{
      top(0),
      with([](selection& s) { s.per = 1; }),
      with([](selection& s) { s.top = 1, s.per = 0; }),
      with([](selection& s) { s.min_mz = 2, s.max_mz = 1; }),
      with([](selection& s) { s.min_relative = 1.5; }),
      with([](selection& s) { s.all_charges = true; }),
      with([](selection& s) {
        s.dedupe = tolerance{-1, false};
      }),
      with([](selection& s) {
        s.dedupe = s.merge = tolerance{1, false};
      }),
      with([](selection& s) { s.around = 1; }),
      with([](selection& s) {
        s.remove_precursor_above = tolerance{1, false};
      }),
  };
  std::string const text = spectrum_of({"1 1"});
  std::string out = text;
  for (auto const& one : bad)
    CHECK_THROWS_AS(ordo::spectra::sort(std::span<char const>(text), out, selecting(one)), usage_error);
  CHECK(!preset("none"));
  for (auto const name : preset_names()) preset(name)->check();
  for (auto const& one : ordo::spectra::presets()) {
    one.select.check();
    if (!one.first.empty()) CHECK(ordo::spectra::find_preset(std::string(one.name) + '@' + std::string(one.last)) == &one);
  }
  CHECK(preset("casanovo@5.2.1") == preset("casanovo"));
  CHECK(preset("casanovo@4")->min_relative == 0.01);
  for (auto const* const name : {"", "@", "casanovo@", "casanovo@6", "casanovo@5.3", "casanovo@3", "casanovo@5.x", "gnps@1"}) {
    INFO(name);
    CHECK(!preset(name));
  }
}

TEST_CASE("selections of random spectra, in blocks of any size", "[spectra][select]") {
  std::mt19937 random(5);
  auto const below = [&](unsigned n) { return unsigned(random() % n); };
  for (unsigned round = 0; round < 40; ++round) {
    std::string text;
    unsigned const range = below(2) == 0 ? 20 : 100000;
    for (unsigned s = below(8); s != 0; --s) {
      lines all{"PEPMASS=" + std::to_string(below(range)) + ".25", "CHARGE=" + std::to_string(below(5))};
      for (unsigned n = below(2) == 0 ? below(6) : below(300); n != 0; --n) {
        all.push_back(std::to_string(below(range)) + "." + std::to_string(below(10)) + " " + std::to_string(below(range)));
        if (below(40) == 0) all.push_back(below(2) == 0 ? "# comment" : "5");
      }
      text += spectrum_of(all) + (below(3) == 0 ? "\n" : "");
    }
    selection which;
    if (below(3) == 0) which.min_relative = below(100) / 100.0;
    if (below(3) == 0) which.remove_precursor = tolerance{double(below(9)), below(2) == 0};
    if (which.remove_precursor) which.all_charges = below(2) == 0;
    if (below(3) == 0) which.dedupe = tolerance{double(below(9)), below(2) == 0};
    if (below(2) == 0) which.top = 1 + below(30);
    if (which.top && below(2) == 0) which.per = below(range) + 1;
    if (below(3) == 0) which.min_peaks = below(10);
    if (below(3) == 0) which.min_mz = below(range);
    sort_options options = selecting(which);
    options.by = below(2) == 0 ? sort_key::mz : sort_key::intensity;
    options.descending = below(2) == 0;
    std::string const selected = sorted(text, options);
    CHECK(selected.size() <= text.size());

    // In place; and what is done twice is done once, where a step does not depend on what goes.
    std::string again = text;
    again.resize(ordo::spectra::sort(std::span<char const>(again), again, options).written);
    CHECK(again == selected);
    if (!which.min_relative) CHECK(sorted(selected, options) == selected);
    // The selection holds whatever was selected before.
    sort_options order = options;
    order.select = {};
    CHECK(sorted(selected, order) == selected);
  }
}

TEST_CASE("an output in memory of another length than the input is refused", "[spectra]") {
  std::string const text = spectrum_of({"1 1"});
  sort_options options;
  options.name = "f.mgf";
  for (std::size_t const size : {text.size() - 1, text.size() + 1}) {
    std::string out(size, '?');
    CHECK_THROWS_MATCHES(ordo::spectra::sort(std::span<char const>(text), out, options), usage_error,
                         Catch::Matchers::Message("output of another length: f.mgf: in memory it must be the input's"));
    CHECK(out == std::string(size, '?'));
  }
}

TEST_CASE("arrays of a GPU, in a build without code for one, are refused", "[spectra][arrays]") {
  if (ordo::built_with_cuda()) return;
  ordo::gpu gpu;
  std::vector<double> mz{2, 1};
  std::vector<float> intensity{1, 2};
  std::vector<std::uint32_t> offsets{0, 2};
  REQUIRE_THROWS_AS(ordo::spectra::top(gpu, std::span(mz), std::span(intensity), std::span(offsets), 1), ordo::usage_error);
}
