#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/unit/spectra/mzml/cases.hpp"

// Peaks and spectra that leave mzML.
namespace {

using namespace mzml;
using ordo::spectra::sort_options;

}  // namespace

TEST_CASE("mzml: peaks whose m/z is NaN go with every selection, and that is told") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> warned;
  sort_options options;
  options.keep_metadata = true;
  options.select.min_peaks = 1;
  options.on_warning = [&](std::string const& message) { warned.push_back(message); };
  CHECK((sorted(text_of(document{{{{mz({2, nan, 1}), intensity({1, 2, 3})}}}}), options) ==
         text_of(document{{{{mz({1, 2}), intensity({3, 1})}}}})));
  REQUIRE(warned.size() == 3);  // of three runs
  CHECK(warned[0] == "f.mzML: 1 peak is not finite and is left out");
}

TEST_CASE("mzml: sums of intensities keep the type of their array, and the values made of peaks follow") {
  sort_options options;
  options.keep_metadata = true;
  options.select.merge = ordo::spectra::tolerance{0.5, false};
  auto const of = [](std::vector<double> places, std::vector<double> heights, number_type type, packing how) {
    return text_of(document{{{{mz(std::move(places)), intensity(std::move(heights), type, how)}}}});
  };
  for (auto const type : {number_type::float32, number_type::float64, number_type::int32, number_type::int64})
    for (auto const how : {packing::none, packing::zlib})
      CHECK((sorted(of({7, 2, 1.75, 1}, {1, 9, 4, 2}, type, how), options) == of({1, 2, 7}, {2, 13, 1}, type, how)));
  std::string const large = of({1, 1}, {2e9, 1e9}, number_type::int32, packing::none);
  std::string out;
  CHECK_THROWS_AS(mzml::sort(large, out, options), ordo::input_error);
  CHECK((sorted(of({1, 1}, {3e38, 2e38}, number_type::float32, packing::none), options) ==
         of({1}, {3.4028234663852886e38}, number_type::float32, packing::none)));

  // Of floats, the total is that of the floats that are written.
  options.keep_metadata = false;
  document in;
  in.spectra = {{{mz({1, 1, 5}), intensity({16777216, 1, 2})}}};
  in.spectra[0].terms = R"(<cvParam accession="MS:1000285" name="total ion current" value="16777219"/>)";
  CHECK((sorted(text_of(in), options).find(R"(value="16777218")") != std::string::npos));
  mzml::sort(text_of(in), out, options, ordo::spectra::format::mgf);
  CHECK((out.find("\n1 16777216\n5 2\n") != std::string::npos));
}

TEST_CASE("mzml: spectra with few peaks leave; the others are numbered, counted and found") {
  auto const of = [](std::size_t number, std::size_t peaks, bool in_order = true) {
    std::vector<double> first(peaks), second(peaks, 1);
    std::iota(first.begin(), first.end(), 1.0);
    if (!in_order) std::reverse(first.begin(), first.end());
    spectrum made{{mz(first, number_type::float64, packing::zlib), intensity(second)}};
    made.number = number;
    return made;
  };
  sort_options options;
  options.select.min_peaks = 2;
  for (bool const indexed : {false, true}) {
    document in, expected;
    in.indexed = expected.indexed = indexed;
    for (std::size_t const peaks : {0, 5, 1, 0, 3, 2, 9, 1, 7, 7, 7, 7, 7, 1}) {  // 14, of which 9 stay
      in.spectra.push_back(of(in.spectra.size() + 1, peaks, in.spectra.size() % 2 == 0));
      if (peaks >= 2) expected.spectra.push_back(of(in.spectra.size(), peaks));
    }
    CHECK((without_checksum(sorted(text_of(in), options)) == without_checksum(text_of(expected))));
    std::string const once = sorted(text_of(in), options);
    CHECK((sorted(once, options) == once));
    CHECK((sorted(once) == once));  // the checksum is that of the text as it is now
    options.select.min_peaks = 10;
    expected.spectra.clear();
    CHECK((without_checksum(sorted(text_of(in), options)) == without_checksum(text_of(expected))));
    options.select.min_peaks = 2;
  }

  // More than is put aside in memory, and a spectrum that is larger than that alone.
  document large, few;
  large.indexed = few.indexed = true;
  for (std::size_t i = 0; i < 60; ++i) large.spectra.push_back({{mz(std::vector<double>(i == 30 ? 200'000 : 2'000, 1.0))}});
  for (auto& one : large.spectra) one.arrays.push_back(intensity(one.arrays[0].values));
  large.spectra[7] = large.spectra[59] = of(0, 1);
  for (std::size_t i = 0; i < 59; ++i) {
    if (i == 7) continue;
    few.spectra.push_back(large.spectra[i]);
    few.spectra.back().number = i + 1;
  }
  CHECK((without_checksum(sorted(text_of(large), options)) == without_checksum(text_of(few))));
  options.temporary_folder = "/no/such";
  std::string out;
  CHECK_THROWS_AS(mzml::sort(text_of(large), out, options), ordo::output_error);
}

TEST_CASE("mzml: entries of an index go whole, and those that were empty are filled in") {
  auto const entry = [](int scan, std::string_view form, std::string const& place) {
    return fmt::format(fmt::runtime(form), fmt::format("idRef=\"controllerType=0 scan={}\"", scan), place);
  };
  auto const peaks = [](std::size_t number, std::vector<double> values) {
    spectrum made{{mz(values), intensity(values)}};
    made.number = number;
    return made;
  };
  sort_options options;
  options.select.min_peaks = 2;
  // `list`: the entries of an index of both, in the place of those that are there.
  auto const with = [](std::string const& text, std::string const& list) {
    std::size_t const begin = text.find("   <offset"), end = text.find("  </index>");
    return text.substr(0, begin) + list + text.substr(end);
  };
  std::string const in = text_of(document{{peaks(1, {1}), peaks(2, {1, 2})}, true}),
                    out = text_of(document{{peaks(2, {1, 2})}, true});
  std::string const right = std::to_string(out.find("<spectrum "));
  for (std::string_view const form : {"<offset {}>{}</offset>", "<offset a='/>' {} >{}</offset >"}) {
    std::string const given = with(in, entry(1, form, "\n8 ") + "\n\t" + entry(2, form, ""));
    std::string const made = sorted(given, options);
    CHECK((made.find("<index name=\"spectrum\">\n\t" + entry(2, form, right)) != std::string::npos));
    CHECK((made.find("scan=1\"") == std::string::npos));
  }
  std::string const closed = sorted(with(in, entry(1, "<offset {}/><!--{}-->", "") + entry(2, "<offset {}/>{}", "")), options);
  CHECK((closed.find("<index name=\"spectrum\"><!----><offset idRef=\"controllerType=0 scan=2\">" + right + "</offset>") !=
         std::string::npos));
  std::string const nested = with(in, entry(1, "<offset {}>1<a/>{}</offset>", ""));
  CHECK(refusal(nested).empty());
  std::string text;
  options.name = "f.mzML";
  auto const line = 1 + std::count(nested.begin(), nested.begin() + std::ptrdiff_t(nested.find("<offset ")), '\n');
  CHECK_THROWS_WITH(mzml::sort(nested, text, options), fmt::format("wrong index: f.mzML:{}: an entry with tags in it", line));

  // A checksum that was not there.
  std::string const sum = sorted(replaced(in, "<fileChecksum>0<", "<fileChecksum><"));
  CHECK((sum == sorted(in)));
}

TEST_CASE("mzml: what is not of peaks stays where spectra leave, and references name spectra outside") {
  sort_options options;
  options.keep_metadata = true;
  options.select.min_peaks = 3;
  std::vector<std::string> warned;
  options.on_warning = [&](std::string const& message) { warned.push_back(message); };
  document made;
  made.spectra.push_back({{intensity({1, 2})}});                                                         // no m/z
  made.spectra.push_back({{mz({1, 2}), intensity({1, 2})}, 2, R"(<cvParam accession="MS:1000583"/>)"});  // transitions
  made.spectra.push_back({{mz({1, 2}), intensity({1, 2})}});
  made.spectra.push_back({{mz({1, 2, 3}), intensity({1, 2, 3})}});
  std::string const text = replaced(replaced(text_of(made), "scan=4\" d", "scan=4\" dataProcessingRef='p' d"),
                                    "value=\"2\"/></selectedIon></sel", "value=\"2\"/></selectedIon></sel");
  auto const at = text.rfind("<precursor>");
  std::string const in = text.substr(0, at) + "<precursor spectrumRef=\"controllerType=0 scan=3\">" + text.substr(at + 11);
  std::string expected = in;
  auto const begin = expected.find("\n   <spectrum index=\"2\""), end = expected.find("</spectrum>", begin);
  expected.erase(begin, end + 11 - begin);
  expected = replaced(expected, "spectrumRef=", "externalSpectrumID=");
  expected = replaced(replaced(expected, "count=\"4\"", "count=\"3\""), "index=\"3\"", "index=\"2\"");
  CHECK((sorted(in, options) == expected));
  CHECK(warned.size() == 3);  // of three runs
  warned.clear();
  std::string const before = replaced(text, "<precursor>", "<precursor spectrumRef=\"controllerType=0 scan=3\">");
  static_cast<void>(sorted(before, options));
  REQUIRE(warned.size() == 6);
  CHECK(warned[1] == "f.mzML: 1 reference to a spectrum that was left out stays");

  // Numbers anywhere in their tags, prefixes, numbers that were wrong, and none.
  auto const both = [&](std::string_view what, std::string_view by) {
    CHECK((sorted(replaced(in, what, by), options) == replaced(expected, what, by)));
  };
  both("<spectrumList count", "<spectrumList  defaultDataProcessingRef=\"count='9'\"\n count");
  both("<spectrum index=\"0\" id=\"controllerType=0 scan=1\"", "<spectrum id=\"controllerType=0 scan=1\" index = \"0\"");
  CHECK((sorted(replaced(in, "count=\"4\"", "count=\"77\""), options) == expected));
  CHECK((sorted(replaced(in, "index=\"0\"", "index=\"123\""), options) == expected));
  CHECK((sorted(replaced(in, " count=\"4\"", ""), options) == replaced(expected, " count=\"3\"", "")));
  CHECK((sorted(replaced(in, " index=\"0\"", ""), options) == replaced(expected, " index=\"0\"", "")));
}
