#include <algorithm>
#include <numeric>

#include "spectra/encoding/xml.hpp"
#include "tests/unit/inputs.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"

// mzML in, mzML and MGF out.
namespace {

using namespace mzml;
using ordo::spectra::detect_format;
using ordo::spectra::format;
using ordo::spectra::sort_key;
using ordo::spectra::sort_options;
using namespace ordo::spectra::detail;

std::vector<double> by(std::vector<double> const& values, std::vector<std::size_t> const& order) {
  std::vector<double> made;
  for (std::size_t const i : order) made.push_back(values[i]);
  return made;
}

}  // namespace

TEST_CASE("base64: the vectors of RFC 4648, all lengths, blanks, and what is none") {
  auto const decoded = [](std::string_view text) -> std::optional<std::string> {
    std::string to(max_base64_bytes(text.size()), '?');
    auto const size = decode_base64(text, to.data());
    if (!size) return std::nullopt;
    REQUIRE(*size <= to.size());
    return to.substr(0, *size);
  };
  auto const encoded = [](std::string_view bytes) {
    std::string to(base64_size(bytes.size()), '?');
    encode_base64(bytes, to.data());
    return to;
  };
  std::vector<std::pair<std::string, std::string>> const vectors{{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"}};
  for (auto const& [bytes, text] : vectors) {
    CHECK(encoded(bytes) == text);
    CHECK(decoded(text) == bytes);
    CHECK(decoded(" \n" + text + "\t\r\n") == bytes);
  }
  random_numbers random(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = char(random());
    std::string text = encoded(bytes);
    CHECK(decoded(text) == bytes);
    for (int n = 0; n < 3; ++n) text.insert(random.below(text.size() + 1), "\r\n ");
    CHECK(decoded(text) == bytes);
  }
  for (std::string const wrong : {"Z", "Zg", "Zg=", "Zm8", "Zg==Zg==", "Zg=g", "=", "====", "Zm9v====", "Zm9v=", "Zm*v",
                                  "Zm9v-_-_", "Zm9vZ\x80g=", "Zg== x", "AAAA&#65;"})
    CHECK(decoded(wrong) == std::nullopt);
}

TEST_CASE("xml: tags are found, and their attributes") {
  std::string const text = "<?x <a> ?><!-- <b> --><![CDATA[<c>]]><p:d e='>' f = \"1\"/>t</p:d ><g";
  std::vector<std::pair<markup_kind, std::string>> found;
  for (auto one = next_markup(text, 0); one; one = next_markup(text, one->end)) found.emplace_back(one->kind, one->name);
  using enum markup_kind;
  CHECK(found ==
        std::vector<std::pair<markup_kind, std::string>>{{other, ""}, {other, ""}, {other, ""}, {empty, "d"}, {end, "d"}});
  for (std::string const part : {"", "x", "<", "<!", "<!-", "<!--", "<!-- -", "<![CDATA[ ]]", "<?x ?", "<a b='>", "<a b=\">'"})
    CHECK_FALSE(next_markup(part, 0));
  auto const value = [](std::string_view tag, std::string_view name) {
    auto const at = attribute_in(tag, name);
    return at ? std::string(tag.substr(at->begin, at->size)) : "none";
  };
  CHECK(value("<a bc=\"1\" c = '2'>", "c") == "2");
  CHECK(value("<a\nb='c=\"3\"' c=\"\"/>", "c").empty());
  CHECK(value("<a b='c'>", "c") == "none");
  CHECK(value("<a>", "c") == "none");
}

TEST_CASE("xml: plain tags need no parser, others do") {
  std::vector<attributes::attribute> all;
  auto const read = [&](std::string const& text) -> std::string {
    auto const found = plain_tag(text, 0, all);
    if (!found) return "a parser";
    constexpr std::string_view kinds[] = {"start", "empty", "end", "other"};
    std::string said = fmt::format("{} {} {}", kinds[std::size_t(found->kind)], found->name, text.substr(found->end));
    for (auto const& [name, value] : all) said += fmt::format(" {}={}", name, value);
    return said;
  };
  CHECK(read("<ab c=\"1>'\"  D=\"\"/>t") == "empty ab t c=1>' D=");
  CHECK(read("<ab\n\tc=\"x\" >") == "start ab  c=x");
  CHECK(read("</ab >t") == "end ab t");
  for (std::string const text : {"<",
                                 "<a",
                                 "</",
                                 "</a",
                                 "<a b",
                                 "<a b=",
                                 "<a b=\"",
                                 "<a b=\"c",
                                 "<a b=\"c\"",
                                 "<a b=\"c\"/",
                                 "< a>",
                                 "<p:a>",
                                 "<a p:b=\"c\">",
                                 "<a b='c'>",
                                 "<a b=\"&lt;\">",
                                 "<a b=\"<\">",
                                 "<a b=\"\t\">",
                                 "<a b=\"\xc3\xa9\">",
                                 "<a b=\"1\" b=\"2\">",
                                 "<a b=\"1\"c=\"2\">",
                                 "<a / >",
                                 "</a b=\"1\">",
                                 "<!-- -->",
                                 "<?x?>",
                                 "<a1>",
                                 "<a b >"})
    CHECK(read(text) == "a parser");
  std::string many = "<a";
  for (char last = 'a'; last < 'a' + 16; ++last) many += fmt::format(" a{0}=\"\" b{0}=\"\"", last);
  CHECK(read(many + ">").starts_with("start a "));
  CHECK(read(many + " c=\"\">") == "a parser");
  // Of a spectrum's text, only ends and what may hold other markup are found.
  std::string const text = "<a b='1'><!-- </a> --></p:c><d/></a><e";
  std::vector<std::string> found;
  for (auto one = next_markup_but_starts(text, 0); one; one = next_markup_but_starts(text, one->end))
    found.push_back(text.substr(one->begin, one->end - one->begin));
  CHECK(found == std::vector<std::string>{"<!-- </a> -->", "</p:c>", "</a>"});
}

TEST_CASE("mzml: known by its first tag") {
  CHECK(detect_format("<?xml version=\"1.0\"?><!-- <mzXML> --><mzML>") == format::mzml);
  CHECK(detect_format("\xef\xbb\xbf\n<indexedmzML\n") == format::mzml);
  CHECK(detect_format("<x:mzML a='mzXML'>") == format::mzml);
  for (std::string const other :
       {"", "<mzData a='mzML'>", "<mzMLs>", "BEGIN IONS\nTITLE=<mzML>\n", "mzML", "<?xml mzML", "{\"mzML\":1}"})
    CHECK(detect_format(other) == format::mgf);
}

TEST_CASE("mzml: all arrays of a spectrum are permuted alike, and nothing else changes") {
  std::vector<double> const a{300, 100, 200, 100}, b{1, 2, 3, 4}, c{-5, 6, -7, 8};
  std::vector<std::size_t> const order{1, 3, 2, 0};
  for (packing const compression : {packing::none, packing::zlib}) {
    for (bool const indexed : {false, true}) {
      auto const make = [&](auto turn) {
        document made;
        made.indexed = indexed;
        made.spectra.push_back({{mz({1, 2, 2, 3}), intensity({4, 3, 2, 1})}});  // in order
        made.spectra.push_back({{mz(turn(a), number_type::float64, compression),
                                 intensity(turn(b), number_type::float32, compression),
                                 {"", number_type::int32, compression, turn(c)},
                                 {"", number_type::int64, compression, turn(c)},
                                 {"", number_type::float32, compression, {9, 8, 7}, " arrayLength=\"3\""}}});
        made.spectra.push_back({{mz({}), intensity({})}});
        made.spectra.push_back({{}});
        made.spectra.push_back({{mz(turn(a), number_type::float32), intensity(turn(b), number_type::int64)}, 1});
        return text_of(made);
      };
      std::string const in = make([](auto const& values) { return values; });
      std::string const expected = make([&](auto const& values) { return by(values, order); });
      std::string const out = sorted(in);
      CHECK((without_checksum(out) == without_checksum(expected)));
      CHECK((sorted(out) == out));
      CHECK((indexed ? out.find("<fileChecksum>0<") == std::string::npos : out == expected));
    }
  }
}

TEST_CASE("mzml: by intensity, descending; NaN last, the zeros equal") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const make = [](std::vector<double> first, std::vector<double> second) {
    return text_of(document{{{{mz(std::move(first)), intensity(std::move(second), number_type::float64)}}}});
  };
  sort_options options;
  options.by = sort_key::intensity;
  CHECK(sorted(make({1, 2, 3, 4, 5}, {nan, 2, 0.0, -0.0, 1}), options) == make({3, 4, 5, 2, 1}, {0.0, -0.0, 1, 2, nan}));
  options.descending = true;
  CHECK(sorted(make({1, 2, 3, 4, 5}, {nan, 2, 0.0, -0.0, 3}), options) == make({5, 2, 3, 4, 1}, {3, 2, 0.0, -0.0, nan}));
  CHECK(sorted(make({1}, {nan}), options) == make({1}, {nan}));
}

TEST_CASE("mzml: offsets that were wrong are made anew, and so is the checksum") {
  document made{{{{mz({1, 2}), intensity({1, 2})}}, {{mz({3, 2}), intensity({1, 2})}}}, true};
  made.right_offsets = false;
  document expected = made;
  expected.spectra[1] = {{mz({2, 3}), intensity({2, 1})}};
  expected.right_offsets = true;
  std::string const out = sorted(text_of(made));
  CHECK(without_checksum(out) == without_checksum(text_of(expected)));
  auto const sum = out.substr(out.find("<fileChecksum>") + 14, 41);
  CHECK(sum.find_first_not_of("0123456789abcdef") == 40);
  CHECK(sum[40] == '<');
}

TEST_CASE("mzml: spectra that have another order stay as they are") {
  auto const with = [](std::vector<double> axis, std::string terms = {}) {
    document made{{{{mz({3, 1, 2}), intensity({1, 2, 3})}}}};
    if (!axis.empty()) made.spectra[0].arrays.push_back({mobility_term, number_type::float64, packing::none, axis});
    made.spectra[0].terms = terms;
    return text_of(made);
  };
  for (auto const& kept : {with({1, 2, 2}), with({3, 3, 1}), with({}, R"(<cvParam accession="MS:1000583"/>)"),
                           with({}, R"(<cvParam accession="MS:1000581"/>)")}) {
    std::vector<std::string> warned;
    sort_options options;
    options.on_warning = [&](std::string const& message) { warned.push_back(message); };
    CHECK(sorted(kept, options) == kept);
    CHECK(warned.size() == 3);  // one for each of three runs
    ordo::memory_source from(kept);
    CHECK_FALSE(ordo::spectra::check_mzml(from, {}).first);
  }
  for (auto const& moved : {with({1, 1, 1}), with({1, 3, 2}), with({}, R"(<cvParam accession="MS:1000580"/>)")})
    CHECK(sorted(moved) != moved);
}

TEST_CASE("mzml: random documents come out as a plain sort puts them") {
  random_numbers random(3);
  for (int round = 0; round < 12; ++round) {
    document in, expected;
    in.indexed = expected.indexed = round % 2 == 0;
    for (std::size_t n = random.below(20); n != 0; --n) {
      packing const options = random.below(2) == 0 ? packing::zlib : packing::none;
      std::vector<double> first(random.below(200)), second(first.size());
      for (double& value : first) value = double(random.below(round % 3 == 0 ? 5 : 1 << 20)) / 8;
      for (double& value : second) value = double(random.below(1000));
      std::vector<std::size_t> order(first.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
      auto const single = random.below(2) == 0 ? number_type::float32 : number_type::float64;
      in.spectra.push_back({{mz(first, single, options), intensity(second, number_type::int32, options)}});
      expected.spectra.push_back(
          {{mz(by(first, order), single, options), intensity(by(second, order), number_type::int32, options)}});
    }
    CHECK((without_checksum(sorted(text_of(in))) == without_checksum(text_of(expected))));
  }
}

TEST_CASE("mzml: to MGF, as msconvert writes it") {
  document made;
  made.spectra.push_back({{mz({2.5, 1.25, 1e-7}), intensity({1e7, 0.1, 16777216})}});
  made.spectra.push_back({{mz({1}), intensity({1})}, 1});
  made.spectra.push_back({{mz({1}), intensity({1})}, 2, "", "", ""});  // no ion
  made.spectra.push_back(
      {{mz({std::numeric_limits<double>::infinity(), 7}, number_type::float32), intensity({1, 3}, number_type::int32)},
       3,
       R"(<cvParam accession="MS:1000796" value="a &amp;&#10;b"/><cvParam accession="MS:1000129"/>)",
       R"(<cvParam accession="MS:1000016" value="61.5" unitAccession="UO:0000010"/>)",
       R"(<cvParam accession="MS:1000744" value="1e3"/><cvParam accession="MS:1000042" value="2.50e6"/>)"
       R"(<cvParam accession="MS:1000633" value="2"/><cvParam accession="MS:1000633" value="3"/>)"});
  made.spectra.push_back({{}});
  std::vector<std::string> warned;
  sort_options options;
  options.on_warning = [&](std::string const& message) { warned.push_back(message); };
  std::string const expected =
      "BEGIN IONS\nTITLE=controllerType=0 scan=1\nRTINSECONDS=30\nPEPMASS=445.34\nCHARGE=2+\nSCANS=1\n"
      "0.0000001 16777216\n1.25 0.1\n2.5 10000000\nEND IONS\n"
      "BEGIN IONS\nTITLE=a & b\nRTINSECONDS=61.5\nPEPMASS=1000 2500000\nCHARGE=2- and 3-\nSCANS=4\nMSLEVEL=3\n7 3\nEND IONS\n"
      "BEGIN IONS\nTITLE=controllerType=0 scan=5\nRTINSECONDS=30\nPEPMASS=445.34\nCHARGE=2+\nSCANS=5\nEND IONS\n";
  CHECK(sorted(text_of(made), options, format::mgf) == expected);
  REQUIRE(warned.size() == 6);  // of three runs
  CHECK(warned[0] == "f.mzML: 1 spectrum of MS level 2 or above has no selected ion and is left out");
  CHECK(warned[1] == "f.mzML: 1 peak is not finite and is left out");

  // A spectrum without peaks may have one array, or two, or none.
  document empty;
  for (std::vector<array> const& arrays : {std::vector<array>{}, {mz({})}, {intensity({})}, {mz({}), intensity({})}})
    empty.spectra.push_back({arrays});
  std::string const without_peaks = sorted(text_of(empty), {}, format::mgf);
  for (std::string const scan : {"1", "2", "3", "4"})
    CHECK(without_peaks.find("SCANS=" + scan + "\nEND IONS\n") != std::string::npos);

  // Thermo's ids, as msconvert shortens them.
  document thermo{{{{mz({1}), intensity({1})}}}};
  thermo.groups =
      "<fileDescription><sourceFileList count=\"2\"><sourceFile id=\"a\" name=\"run.1.raw\"><cvParam accession=\"MS:1000768\"/>"
      "</sourceFile><sourceFile id=\"b\" name=\"other.raw\"/></sourceFileList></fileDescription>";
  CHECK(sorted(text_of(thermo), {}, format::mgf).find("TITLE=run.1.1.1.2\n") != std::string::npos);
}

TEST_CASE("mzml: a summary of spectra of all levels") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  document made;
  made.spectra.push_back({{mz({3, 1, 3, nan}), intensity({0, nan, 5, 1})}});
  made.spectra.push_back({{mz({nan, 2}), intensity({1, 1})}, 1, "", "", ""});  // NaN comes last
  made.spectra.push_back({{mz({1, 2, nan}), intensity({1})}, 3});
  made.spectra.back().arrays[1].attributes = " arrayLength=\"1\"";  // not of these m/z
  made.spectra.push_back({{intensity({1, 2})}, 1, "", "", ""});     // no peaks
  made.spectra.push_back({{}, 2, R"(<cvParam accession="MS:1000129"/>)"});
  std::string const text = text_of(made);
  for (std::size_t const block : {std::size_t{1}, std::size_t{1} << 20}) {
    sort_options options;
    options.chunk_bytes = block;
    ordo::memory_source from(text);
    auto const all = ordo::spectra::summarize_mzml(from, options);
    CHECK(all.bytes == text.size());
    CHECK(all.lines == std::uint64_t(std::count(text.begin(), text.end(), '\n')));
    CHECK((all.spectra == 5 && all.in_order == 3 && all.titles == 5 && all.scans == 5));
    CHECK((all.peaks == 9 && all.zeros == 1 && all.without_intensity == 4 && all.duplicates == 1));
    CHECK((all.mz.count == 6 && all.mz.min == 1 && all.mz.max == 3));
    CHECK((all.intensity.count == 5 && all.intensity.min == 0 && all.intensity.max == 5));
    CHECK((all.precursor_mz.count == 3 && all.precursor_mz.min == 445.34));
    CHECK((all.rt_seconds.count == 3 && all.rt_seconds.max == 30));
    CHECK(all.peak_counts == std::map<std::uint64_t, std::uint64_t>{{0, 2}, {2, 1}, {3, 1}, {4, 1}});
    CHECK(all.charges == std::map<int, std::uint64_t>{{-2, 1}, {0, 2}, {2, 2}});
    CHECK(all.ms_levels == std::map<unsigned, std::uint64_t>{{1, 2}, {2, 2}, {3, 1}});
  }
  std::string const cut = text.substr(0, text.size() / 2);
  ordo::memory_source from(cut);
  CHECK_THROWS_AS(ordo::spectra::summarize_mzml(from, {}), ordo::input_error);
}

TEST_CASE("mzml: the first peak out of order") {
  document const made{{{{mz({1, 2}), intensity({2, 1})}}, {{mz({1, 4, 2.5}), intensity({2, 1, 0.1})}}}};
  std::string const text = text_of(made);
  for (std::size_t const block : {std::size_t{1}, std::size_t{1} << 20}) {
    sort_options options;
    options.chunk_bytes = block;
    ordo::memory_source from(text);
    auto const found = ordo::spectra::check_mzml(from, options).first;
    REQUIRE(found);
    CHECK(found->spectrum == 2);
    CHECK(found->line ==
          1 + std::size_t(std::count(text.begin(), text.begin() + std::ptrdiff_t(text.find("<spectrum index=\"1\"")), '\n')));
    CHECK(found->title == "controllerType=0 scan=2");
    CHECK(found->peak == "2.5 0.1");
    options.by = sort_key::intensity;
    options.descending = true;
    ordo::memory_source again(text);
    CHECK_FALSE(ordo::spectra::check_mzml(again, options).first);
  }
}
