#include <string>
#include <utility>
#include <vector>

#include "ordo/detail/config.hpp"
#include "ordo/spectra/summary.hpp"
#include "spectra/encoding/xml.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"

// The metadata of a document: totals after peaks were removed, the processing record, times, and the encoding.
namespace {

using namespace mzml;
using ordo::spectra::format;
using ordo::spectra::sort_key;
using ordo::spectra::sort_options;

constexpr char const* lists =
    " <softwareList count=\"1\">\n  <software id=\"s\" version=\"1\"/>\n </softwareList>\n"
    " <dataProcessingList count=\"1\">\n  <dataProcessing id=\"d\">\n   <processingMethod order=\"3\" softwareRef=\"s\"/>\n"
    "  </dataProcessing>\n </dataProcessingList>\n";

// With lists to which the spectra and the chromatograms refer.
std::string with_lists(document made) {
  made.groups = lists;
  std::string const text = text_of(made);
  return replaced(replaced(text, "<spectrumList ", "<spectrumList defaultDataProcessingRef=\"d\" "), "<chromatogramList ",
                  "<chromatogramList defaultDataProcessingRef=\"d\" ");
}

std::string value_of(std::string_view text, std::string const& accession) {
  std::size_t const at = text.find("accession=\"" + accession + "\"");
  REQUIRE(at != std::string_view::npos);
  std::size_t const begin = text.find("value=\"", at) + 7;
  return std::string(text.substr(begin, text.find('"', begin) - begin));
}

struct outcome {
  std::string text;
  std::vector<std::string> warnings;  // of one run
};

outcome made_of(std::string const& text, sort_options options = {}, format as = format::mzml) {
  outcome made;
  options.on_warning = [&](std::string const& message) {
    if (made.text.empty()) made.warnings.push_back(message);
  };
  made.text = sorted(text, options, as);
  made.warnings.resize(made.warnings.size() / 3);
  return made;
}

}  // namespace

TEST_CASE("mzml: values that are made of peaks are made anew where peaks leave, and there alone") {
  std::string terms;
  for (auto const* const accession : {"MS:1000285", "MS:1000504", "MS:1000505", "MS:1000527", "MS:1000528", "MS:1003060"})
    terms += fmt::format(R"(<cvParam cvRef="MS" accession="{}" value="77"/>)", accession);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const text_with = [&](std::vector<double> first, std::vector<double> second) {
    return text_of(document{{{{mz(std::move(first), number_type::float32), intensity(std::move(second))}, 2, terms}}});
  };
  auto const values = [](std::string const& text) {
    std::vector<std::string> made;
    for (auto const* const accession : {"MS:1000285", "MS:1000504", "MS:1000505", "MS:1000528", "MS:1000527", "MS:1003060"})
      made.push_back(value_of(text, accession));
    return made;
  };
  using texts = std::vector<std::string>;
  sort_options options;
  options.select.top = 3;
  std::string const four = text_with({4.1, 3, 2, 1}, {1.5, 7, 0.25, 7});
  CHECK(values(sorted(four, options)) == texts{"15.5", "1", "7", "1", "4.1", "3"});
  options.keep_metadata = true;
  CHECK(values(sorted(four, options)) == texts(6, "77"));
  options.keep_metadata = false;
  options.by = sort_key::intensity;
  CHECK(values(sorted(four, options)) == texts{"15.5", "1", "7", "1", "4.1", "3"});
  options.select.top = 4;
  CHECK(values(sorted(four, options)) == texts(6, "77"));  // none left
  options.select = {};
  CHECK(values(sorted(four, options)) == texts(6, "77"));
  options.select.min_mz = 5;
  CHECK(values(sorted(four, options)) == texts(6, "0"));
  options.select = {};
  options.select.min_mz = 2;
  CHECK(values(sorted(text_with({1, 2, 3}, {1, nan, nan}), options)) == texts{"0", "0", "0", "2", "3", "2"});
  CHECK(values(sorted(text_with({1, 2, std::numeric_limits<double>::infinity()}, {1, 2, 3}), options)) ==
        texts{"5", "INF", "3", "2", "INF", "2"});

  // As some writers give it.
  std::string const by_name = replaced(four, R"(<cvParam cvRef="MS" accession="MS:1000285" value="77"/>)",
                                       R"(<userParam name="total ion current" value="7"/>)");
  options.select = {};
  options.select.top = 3;
  CHECK(sorted(by_name, options).find(R"(<userParam name="total ion current" value="15.5"/>)") != std::string::npos);

  // In other forms, and after the arrays.
  std::string const odd =
      replaced(replaced(four, R"(<cvParam cvRef="MS" accession="MS:1000285" value="77"/>)", ""), "    </binaryDataArrayList>\n",
               "    </binaryDataArrayList>\n<cvParam value='7&#x37;' accession='MS:1000285' ></cvParam >");
  options.select = {};
  options.select.top = 3;
  CHECK(sorted(odd, options).find("<cvParam value='15.5' accession='MS:1000285' ></cvParam >") != std::string::npos);
}

TEST_CASE("mzml: a selection is recorded as a step of the spectra's processing") {
  sort_options options;
  options.select.top = 1;
  options.select.min_mz = 1.5;
  document const made{{{{mz({2, 1, 3}), intensity({1, 2, 3})}}}, true};
  std::string const in = sorted(with_lists(made), [] {
    sort_options as_it_is;
    as_it_is.by = sort_key::intensity;  // its offsets are right then
    return as_it_is;
  }());
  outcome const out = made_of(in, options);
  CHECK(out.warnings.empty());
  std::string const version = ordo::version;
  std::string const method =
      "\n   <processingMethod order=\"4\" softwareRef=\"ordo_specsort\">\n"
      "     <cvParam cvRef=\"MS\" accession=\"MS:1001486\" name=\"data filtering\" value=\"\"/>\n"
      "     <userParam name=\"--mz-range\" value=\"1.5:\"/>\n     <userParam name=\"--top\" value=\"1\"/>\n"
      "     <userParam name=\"--by\" value=\"mz\"/>\n   </processingMethod>";
  std::string expected = replaced(in, "<softwareList count=\"1\"", "<softwareList count=\"2\"");
  expected = replaced(expected, "\n </softwareList>",
                      "\n  <software id=\"ordo_specsort\" version=\"" + version +
                          "\">\n    <cvParam cvRef=\"MS\" accession=\"MS:1000799\" name=\"custom unreleased software tool\" "
                          "value=\"ordo specsort\"/>\n  </software>\n </softwareList>");
  expected = replaced(expected, "<dataProcessingList count=\"1\"", "<dataProcessingList count=\"2\"");
  expected =
      replaced(expected, "\n </dataProcessingList>",
               "\n  <dataProcessing id=\"ordo_specsort_processing\">\n   <processingMethod order=\"3\" softwareRef=\"s\"/>" +
                   method + "\n  </dataProcessing>\n </dataProcessingList>");
  expected = replaced(expected, "<spectrumList defaultDataProcessingRef=\"d\"",
                      "<spectrumList defaultDataProcessingRef=\"ordo_specsort_processing\"");
  std::size_t const spectra = expected.find("<spectrum ");
  CHECK(out.text.substr(0, spectra) == expected.substr(0, spectra));
  CHECK(out.text.find("<chromatogramList defaultDataProcessingRef=\"d\"") != std::string::npos);
  CHECK(out.text.find(fmt::format("<offset idRef=\"controllerType=0 scan=1\">{}<", spectra)) != std::string::npos);
  CHECK(made_of(out.text).text == out.text);

  // The same step once more is there already; another one follows it.
  CHECK(made_of(out.text, options).text == out.text);
  sort_options other = options;
  other.descending = true;
  outcome const twice = made_of(out.text, other);
  CHECK(twice.text.find("order=\"5\" softwareRef=\"ordo_specsort\"") != std::string::npos);
  CHECK(twice.text.find("<dataProcessingList count=\"2\"") != std::string::npos);
  CHECK(twice.text.find("<userParam name=\"--descending\"/>") != std::string::npos);

  // A spectrum that refers to the default by name refers to the new one, whatever else changes of its tag.
  options.select.min_peaks = 1;
  for (std::string const tag :
       {"<spectrum dataProcessingRef=\"d\" index=\"0\" ", "<spectrum index=\"0\" dataProcessingRef=\"d\" "}) {
    std::string const named = made_of(replaced(in, "<spectrum index=\"0\" ", tag), options).text;
    CHECK(named.find(replaced(tag, "\"d\"", "\"ordo_specsort_processing\"") + "id=") != std::string::npos);
    CHECK(named.find("defaultArrayLength=\"1\"") != std::string::npos);
  }
  options.select.min_peaks = 0;

  // Another version is another software; names that are taken are not taken again; blanks, prefixes, empty tags.
  std::string const older = replaced(out.text, "version=\"" + version + "\"", "version=\"0.0.1\"");
  CHECK(made_of(older, options).text.find("<software id=\"ordo_specsort_2\" version=\"" + version) != std::string::npos);
  std::string const taken = replaced(in, "<run id=\"r\">", "<run id=\"ordo_specsort_processing\">");
  CHECK(made_of(taken, options).text.find("<dataProcessing id=\"ordo_specsort_processing_2\">") != std::string::npos);
  std::string const line = replaced(replaced(in, ">\n  <software ", "><software "), ">\n </softwareList>", "></softwareList>");
  CHECK(made_of(line, options).text.find("/><software id=\"ordo_specsort\" version=\"" + version + "\"><cvParam") !=
        std::string::npos);
  std::string const other_name = replaced(in, " <softwareList", " <cvParam cvRef='PSI' accession='MS:1000580'/><softwareList");
  CHECK(made_of(other_name, options).text.find("<cvParam cvRef=\"PSI\" accession=\"MS:1001486\"") != std::string::npos);

  // A run that only sorts peaks records nothing.
  sort_options sort_only;
  sort_only.descending = true;
  CHECK(made_of(in, sort_only).text.find("ordo") == std::string::npos);
  sort_options keep = options;
  keep.keep_metadata = true;
  CHECK(made_of(in, keep).text.find("ordo") == std::string::npos);
  CHECK(made_of(in, options, format::mgf).text.find("ordo") == std::string::npos);
}

TEST_CASE("mzml: what cannot be recorded is told") {
  sort_options options;
  options.select.top = 1;
  std::string const in = with_lists(document{{{{mz({2, 1, 3}), intensity({1, 2, 3})}}}});
  auto const why = [&](std::string const& what, std::string const& by) {
    outcome const made = made_of(replaced(in, what, by), options);
    CHECK(made.text.find("ordo") == std::string::npos);
    REQUIRE(made.warnings.size() == 1);
    return made.warnings[0];
  };
  std::string const start = "f.mzML: no processing step is recorded: ";
  CHECK(why(lists, "") == start + "the document has no softwareList");
  CHECK(why("<spectrumList defaultDataProcessingRef=\"d\"", "<spectrumList defaultDataProcessingRef=\"e\"") ==
        start + "the list of spectra refers to no dataProcessing");
  CHECK(why("<spectrumList defaultDataProcessingRef=\"d\"", "<spectrumList") ==
        start + "the list of spectra refers to no dataProcessing");
  CHECK(why("version=\"1.1.0\"", "version=\"1.0\"") == start + "the document is mzML 1.0");
  // A fault after the head does not hide it, whatever the size of chunks.
  for (std::string const& text : {replaced(replaced(in, lists, ""), "ms level\" value=\"2\"", "ms level\" value=\"x\""),
                                  replaced(in, lists, "").substr(0, replaced(in, lists, "").find("</spectrum>"))})
    for (std::size_t const block : {std::size_t{1}, std::size_t{300}, std::size_t{1} << 20}) {
      std::vector<std::string> warnings;
      sort_options chunked = options;
      chunked.name = "f.mzML";
      chunked.chunk_bytes = block;
      chunked.machine.device = ordo::device::cpu;
      chunked.on_warning = [&](std::string const& message) { warnings.push_back(message); };
      std::string out;
      CHECK_THROWS_AS(mzml::sort(text, out, chunked), ordo::input_error);
      CHECK(warnings == std::vector<std::string>{start + "the document has no softwareList"});
    }
  outcome const own = made_of(replaced(in, "<spectrum ", "<spectrum dataProcessingRef=\"e\" "), options);
  CHECK(own.warnings ==
        std::vector<std::string>{"f.mzML: 1 spectrum refers to a dataProcessing of its own, where no step is recorded"});
}

TEST_CASE("mzml: retention times are in seconds, whatever their unit") {
  auto const text_in = [](std::string const& unit) {
    document made{{{{mz({1, 2}), intensity({1, 2})}}}};
    made.spectra[0].scan = "<cvParam accession=\"MS:1000016\" name=\"scan start time\" value=\"7.5\"" + unit + "/>";
    return text_of(made);
  };
  auto const unit = [](std::string const& accession) { return " unitAccession=\"" + accession + "\" unitName=\"u\""; };
  std::vector<std::pair<std::string, double>> const known{
      {"UO:0000010", 7.5}, {"UO:0000031", 450},    {"UO:0000032", 27000},   {"UO:0000028", 7.5e-3}, {"UO:0000029", 7.5e-6},
      {"MS:1000039", 7.5}, {"UO:0000150", 7.5e-9}, {"UO:0000030", 7.5e-12}, {"MS:1000038", 450},    {"UO:0000033", 648000}};
  for (auto const& [accession, seconds] : known) {
    CAPTURE(accession);
    std::string const text = text_in(unit(accession));
    ordo::memory_source source(text);
    CHECK(ordo::spectra::summarize_mzml(source, {}).rt_seconds.min == seconds);
    outcome const made = made_of(text, {}, format::mgf);
    CHECK(std::stod(made.text.substr(made.text.find("RTINSECONDS=") + 12)) == seconds);
    CHECK(made.warnings.empty());
  }
  for (std::string const accession : {"UO:0000035", "UO:0000012", "MS:1000040", "minute"}) {
    std::string const text = text_in(unit(accession)),
                      told = "unit not supported: f.mzML:8: the start time of a scan is in 'u' (" + accession +
                             "), which is no unit of time of a fixed length";
    CHECK(refusal(text, format::mgf) == told);
    CHECK(refusal(text).empty());  // no time is needed
    sort_options options;
    options.name = "f.mzML";
    ordo::memory_source source(text);
    CHECK_THROWS_WITH(ordo::spectra::summarize_mzml(source, options), told);
    ordo::growing_sink to;
    ordo::spectra::order_options by;
    by.order = {{ordo::spectra::spectrum_key::rt}};
    ordo::memory_source again(text);
    CHECK_THROWS_WITH(ordo::spectra::order_mzml(again, to, options, by), told);
  }
  CHECK(made_of(text_in(" unitName=\"minute\""), {}, format::mgf).text.find("RTINSECONDS=450\n") != std::string::npos);
  CHECK(refusal(text_in(" unitName=\"minuet\""), format::mgf).starts_with("unit not supported: f.mzML:8: "));
  outcome const none = made_of(text_in(""), {}, format::mgf);
  CHECK(none.text.find("RTINSECONDS=7.5\n") != std::string::npos);
  CHECK(none.warnings == std::vector<std::string>{"f.mzML: 1 retention time has no unit, and counts as seconds"});
  // In a parameter group, too.
  std::string const grouped = replaced(
      replaced(text_in(unit("UO:0000028")),
               "<scan><cvParam accession=\"MS:1000016\" name=\"scan start time\" value=\"7.5\"" + unit("UO:0000028") + "/>",
               "<scan><referenceableParamGroupRef ref=\"g\"/>"),
      " <run id",
      " <referenceableParamGroup id=\"g\"><cvParam accession=\"MS:1000016\" value=\"7500\"" + unit("UO:0000028") +
          "/></referenceableParamGroup><run id");
  CHECK(made_of(grouped, {}, format::mgf).text.find("RTINSECONDS=7.5\n") != std::string::npos);
}

TEST_CASE("mzml: a spectrum of MS level 1 has no precursor to remove, though it says one") {
  document made;
  for (int const level : {1, 2}) made.spectra.push_back({{mz({445.34, 500}), intensity({1, 2})}, level});
  made.spectra.push_back(made.spectra[1]);
  std::string const in = text_of(made);
  std::size_t const last = in.rfind("<cvParam cvRef=\"MS\" accession=\"MS:1000511\" name=\"ms level\" value=\"2\"/>");
  std::string text = in;
  text.replace(last, text.find("/>", last) + 2 - last, "<cvParam accession=\"MS:1000579\" name=\"MS1 spectrum\"/>");
  sort_options options;
  options.keep_metadata = true;
  options.select.remove_precursor = ordo::spectra::tolerance{1, false};
  std::string const out = sorted(text, options);
  std::vector<std::string> lengths;
  for (std::size_t at = out.find("<spectrum "); at != std::string::npos; at = out.find("<spectrum ", at + 1))
    lengths.push_back(out.substr(out.find("defaultArrayLength=", at) + 20, 1));
  CHECK(lengths == std::vector<std::string>{"2", "1", "2"});
}

TEST_CASE("mzml: bytes that are no UTF-8 are read as Windows-1252 where that is allowed, and stay") {
  std::string const good = text_of(document{{{{mz({2, 1}), intensity({1, 2})}}, {{mz({1, 2}), intensity({1, 2})}}}, true});
  auto const named = [&](std::string const& sign) {
    std::string made = good;
    for (std::string const what : {"id=\"controllerType=0 scan=2\"", "idRef=\"controllerType=0 scan=2\""})
      made = replaced(made, what, what.substr(0, what.find('"')) + "\"a" + sign + " scan=2\"");
    return replaced(made, "<run id=\"r\">", "<run id=\"" + sign + "\">");
  };
  sort_options options;
  options.lenient = true;
  for (auto const& [sign, utf8] :
       std::vector<std::pair<std::string, std::string>>{{"\xb5", "\xc2\xb5"},
                                                        {"\x80", "\xe2\x82\xac"},
                                                        {"\x81", "\xc2\x81"},
                                                        {"\xc2", "\xc3\x82"},
                                                        {"\xed\xa0\x80", "\xc3\xad\xc2\xa0\xe2\x82\xac"},
                                                        {"\xc3\xa4\xff", "\xc3\xa4\xc3\xbf"}}) {
    CHECK(refusal(named(sign)).starts_with("not UTF-8: f.mzML:4: byte 0x"));
    outcome const made = made_of(named(sign), options);
    CHECK(without_checksum(made.text) == without_checksum(sorted(named(sign), options)));
    CHECK(made.text.find("<run id=\"" + sign + "\">") != std::string::npos);
    CHECK(made.text.find("<offset idRef=\"a" + sign + " scan=2\">") != std::string::npos);
    REQUIRE(made.warnings.size() == 2);  // the offsets of the index are others
    CHECK(made.warnings[1].ends_with(" bytes are no UTF-8: they are read as Windows-1252, and stay as they are"));
    CHECK(made_of(named(sign), options, format::mgf).text.find("TITLE=a" + utf8 + " scan=2\n") != std::string::npos);
    // Valid UTF-8 is unchanged.
    outcome const right = made_of(named(utf8), options, format::mgf);
    CHECK(right.text == made_of(named(sign), options, format::mgf).text);
    CHECK(right.warnings.empty());  // where no index is written
  }
  // Lines and bytes of what is wrong after them; other encodings.
  std::string const late = replaced(named("\xb5\xb5\xb5"), "</scan>", "</scam>");
  std::string out;
  options.name = "f.mzML";
  CHECK_THROWS_WITH(mzml::sort(late, out, options), "malformed XML: f.mzML:9: mismatched tag");
  std::string const latin = replaced(named("\x80"), "encoding=\"utf-8\"", "encoding=\"ISO-8859-1\"");
  CHECK(made_of(latin, options).warnings.size() == 1);  // the offsets
  CHECK(made_of(latin, options, format::mgf).text.find("TITLE=a\xc2\x80 scan=2\n") != std::string::npos);
  CHECK(refusal(replaced(named("\x80"), "encoding=\"utf-8\"", "encoding=\"US-ASCII\"")) ==
        "not ASCII: f.mzML:4: byte 0x80, where the document says that it is US-ASCII");

  using ordo::spectra::detail::find_invalid_utf8;
  for (std::string const all : {"", "a", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(find_invalid_utf8(all) == std::string::npos);
  for (std::string const bad : {"\x80", "\xc1\x80", "\xc2", "\xc2 ", "\xe0\x9f\x80", "\xed\xa0\x80", "\xf0\x8f\x80\x80",
                                "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"})
    CHECK(find_invalid_utf8("a\xc3\xa4" + bad) == 3);
}
