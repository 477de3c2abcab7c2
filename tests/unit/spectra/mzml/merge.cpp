#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "ordo/spectra/order.hpp"
#include "spectra/mzml/outline.hpp"
#include "spectra/mzml/unique_ids.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"
#include "tests/unit/temporary_folder.hpp"

// Many documents of mzML in one, and one in parts. Random ones are compared with a reference in tests/reference.
namespace {

using namespace mzml;
using ordo::spectra::format;
using ordo::spectra::order_options;
using ordo::spectra::order_report;
using ordo::spectra::sort_options;
using ordo::spectra::spectrum_inputs;
using ordo::spectra::spectrum_key;

class text_parts final : public ordo::spectra::output_parts {
 public:
  std::vector<std::unique_ptr<ordo::growing_sink>> all;
  std::size_t closed = 0;
  ordo::sink& open(std::size_t part) override {
    CHECK(part == all.size());
    CHECK(closed == part);
    return *all.emplace_back(std::make_unique<ordo::growing_sink>());
  }
  void close(std::size_t part) override { CHECK(part == closed++); }
};

struct outcome {
  std::vector<std::string> parts;
  order_report report;
  std::vector<std::string> warnings;
};

// It must not matter in which pieces, by how many threads and in how much memory.
outcome merged(std::vector<std::string> const& texts, order_options by = {}, sort_options options = {}) {
  temporary_folder const folder;
  std::optional<outcome> first;
  options.machine.device = ordo::device::cpu;
  by.folders = {folder.path("")};
  for (std::size_t const block : {std::size_t{1} << 20, std::size_t{1}, std::size_t{1000}}) {
    options.chunk_bytes = block;
    options.machine.threads = block == 1 ? 1 : 3;
    outcome made;
    options.on_warning = [&](std::string const& message) { made.warnings.push_back(message); };
    if (block != 1000) by.memory = 1;
    spectrum_inputs from;
    from.count = texts.size();
    from.open = [&](std::size_t k) {
      return spectrum_inputs::opened{std::make_unique<ordo::memory_source>(texts[k]), fmt::format("in/{}&.mzML", k + 1),
                                     texts[k].size(), format::mzml};
    };
    text_parts to;
    made.report = order_mzml(from, to, options, by);
    for (auto const& one : to.all) made.parts.emplace_back(one->text());
    CHECK(to.closed == made.parts.size());
    CHECK(made.report.parts == made.parts.size());
    std::size_t written = 0;
    for (auto const& one : made.parts) written += one.size();
    CHECK(made.report.done.written == written);
    for (auto const& one : made.parts) CHECK((sorted(one) == one));  // so its index and its checksum are right
    if (!first) first = made;
    CHECK(made.parts == first->parts);
    CHECK(made.warnings == first->warnings);
  }
  return *first;
}

std::vector<std::string> all_of(std::string const& text, std::string const& expression) {
  std::vector<std::string> found;
  std::regex const pattern(expression);
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at)
    found.push_back((*at)[1]);
  return found;
}

std::string with_head(std::string const& groups, std::string const& run, std::vector<spectrum> spectra = {}) {
  document one;
  one.groups = groups;
  one.spectra = std::move(spectra);
  if (one.spectra.empty()) one.spectra = {{{mz({1, 2}), intensity({1, 2})}}};
  return replaced(text_of(one), "<run id=\"r\">", run);
}

std::string refusal_of(std::vector<std::string> const& texts) {
  std::string message;
  try {
    merged(texts);
  } catch (ordo::input_error const& e) {
    message = e.what();
  }
  return message;
}

}  // namespace

TEST_CASE("mzml: documents become one, whose ids are unique") {
  document one, other;
  one.spectra = {{{mz({2, 1}), intensity({1, 2})}}, {{mz({5}), intensity({6})}}};
  other.spectra = one.spectra;
  other.spectra[0].number = 7;
  other.spectra[0].ion = R"(<cvParam accession="MS:1000744" value="1"/>)";
  other.indexed = true;
  std::string const reference = "<precursor spectrumRef=\"controllerType=0 scan=7\">";
  std::string const both[] = {text_of(one), replaced(text_of(other), "<precursor>", reference)};
  std::string const id = "<spectrum [^>]*id=\"([^\"]*)\"";

  outcome const concatenated = merged({both[0], both[1]});
  REQUIRE(concatenated.parts.size() == 1);
  std::string const& text = concatenated.parts[0];
  CHECK(all_of(text, id) == std::vector<std::string>{"controllerType=0 scan=1", "controllerType=0 scan=2",
                                                     "controllerType=0 scan=7 file=2", "controllerType=0 scan=2 file=2"});
  CHECK(all_of(text, "<chromatogram [^>]*id=\"([^\"]*)\"") == std::vector<std::string>{"TIC", "TIC file=2"});
  CHECK(all_of(text, "spectrumRef=\"([^\"]*)\"") == std::vector<std::string>{"controllerType=0 scan=7 file=2"});
  CHECK(all_of(text, "List count=\"([0-9]*)\" *(?:default[^>]*)?>\n *<spectrum ") == std::vector<std::string>{"4"});
  CHECK(all_of(text, "<sourceFile [^>]*name=\"([^\"]*)\"") == std::vector<std::string>{"1%26.mzML", "2%26.mzML"});
  CHECK(all_of(text, "<spectrum [^>]*sourceFileRef=\"([^\"]*)\"") ==
        std::vector<std::string>{"ordo_source_file", "ordo_source_file", "ordo_source_file_2", "ordo_source_file_2"});
  CHECK(concatenated.warnings.empty());

  // A merged document is merged again; no id of it is one of the others.
  std::string const again = merged({text, text, both[1]}).parts[0];
  std::vector<std::string> ids = all_of(again, id);
  CHECK(ids.size() == 10);
  CHECK(ids[6] == "controllerType=0 scan=7 file=2 file=3");
  CHECK(ids[8] == "controllerType=0 scan=7 file=4");
  std::ranges::sort(ids);
  CHECK(std::ranges::adjacent_find(ids) == ids.end());

  order_options by;
  by.order.by = {spectrum_key::pepmass};
  CHECK(all_of(merged({both[0], both[1]}, by).parts[0], id)[0] == "controllerType=0 scan=7 file=2");

  // Without a spectrum of the second one its ids do not matter.
  sort_options few;
  few.select.min_peaks = 2;
  CHECK(all_of(merged({both[0], both[1]}, {}, few).parts[0], id) ==
        std::vector<std::string>{"controllerType=0 scan=1", "controllerType=0 scan=7"});
}

TEST_CASE("mzml: what the heads of documents have in common is there once") {
  std::string const
      group =
          "<referenceableParamGroupList count=\"1\"><referenceableParamGroup id=\"g\">{}</referenceableParamGroup>"
          "</referenceableParamGroupList>",
      software = "<softwareList count=\"1\"><software id=\"s\" version=\"{}\"/></softwareList>",
      instrument =
          "<instrumentConfigurationList count=\"1\"><instrumentConfiguration id=\"{}\"><softwareRef ref=\"s\"/>"
          "</instrumentConfiguration></instrumentConfigurationList>",
      processing =
          "<dataProcessingList count=\"1\"><dataProcessing id=\"d\"><processingMethod order=\"0\" "
          "softwareRef=\"s\"/></dataProcessing></dataProcessingList>";
  auto const make = [&](std::string const& version, std::string const& ic, std::string const& value) {
    std::string text = with_head(fmt::format(fmt::runtime(group + software + instrument + processing),
                                             fmt::format("<userParam name=\"{}\"/>", value), version, ic),
                                 fmt::format("<run id=\"r{}\" defaultInstrumentConfigurationRef=\"{}\">", version, ic));
    text = replaced(text, "<spectrumList ", "<spectrumList defaultDataProcessingRef=\"d\" ");
    text = replaced(text, "defaultArrayLength=\"2\">", "defaultArrayLength=\"2\"><referenceableParamGroupRef ref=\"g\"/>");
    return text;
  };
  auto const ids = [&](std::string const& text, std::string const& name) {
    return all_of(text, "<" + name + " [^>]*id=\"([^\"]*)\"");
  };
  using list = std::vector<std::string>;

  std::string const same = merged({make("1", "a", "x"), make("1", "b", "x")}).parts[0];
  CHECK(ids(same, "referenceableParamGroup") == list{"g"});
  CHECK(ids(same, "software") == list{"s"});
  CHECK(ids(same, "instrumentConfiguration") == list{"a"});  // b is the same
  CHECK(ids(same, "dataProcessing") == list{"d"});
  CHECK(all_of(same, "<scan [^>]*instrumentConfigurationRef=\"([^\"]*)\"").empty());
  CHECK(all_of(same, "<spectrum [^>]*dataProcessingRef=\"([^\"]*)\"").empty());

  std::string const text = merged({make("1", "a", "x"), make("2", "a", "y"), make("1", "a", "y")}).parts[0];
  CHECK(ids(text, "referenceableParamGroup") == list{"g", "g_2"});
  CHECK(ids(text, "software") == list{"s", "s_2"});
  CHECK(ids(text, "instrumentConfiguration") == list{"a", "a_2"});
  CHECK(ids(text, "dataProcessing") == list{"d", "d_2"});
  CHECK(all_of(text, "<softwareRef ref=\"([^\"]*)\"") == list{"s", "s_2"});
  CHECK(all_of(text, "softwareRef=\"([^\"]*)\"") == list{"s", "s_2"});
  CHECK(all_of(text, "<referenceableParamGroupRef ref=\"([^\"]*)\"") == list{"g", "g_2", "g_2"});
  CHECK(all_of(text, "<scan instrumentConfigurationRef=\"([^\"]*)\"") == list{"a_2"});
  CHECK(all_of(text, "<spectrum [^>]*dataProcessingRef=\"([^\"]*)\"") == list{"d_2"});
  CHECK(all_of(text, "<(?:software|dataProcessing)List count=\"([0-9]*)\"") == list{"2", "2"});
  CHECK(all_of(text, "\"merged run\" type=\"xsd:string\" value=\"([^\"]*)\"") == list{"r2", "r1"});
}

TEST_CASE("mzml: characters of another encoding are written as references to them") {
  std::string const name = "<userParam name=\"{}\"/>";
  document one{{{{mz({1}), intensity({1})}, 2, fmt::format(fmt::runtime(name), "\xc3\xa4\xe2\x82\xac")}}}, other = one;
  other.before = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n";
  other.spectra[0].terms = fmt::format(fmt::runtime(name), "\xe4");
  std::string const utf8 = text_of(one), latin = text_of(other);
  using list = std::vector<std::string>;
  CHECK(all_of(merged({utf8, latin}).parts[0], "<userParam name=\"([^m][^\"]*)\"") == list{"\xc3\xa4\xe2\x82\xac", "&#228;"});
  CHECK(all_of(merged({latin, utf8}).parts[0], "<userParam name=\"([^m][^\"]*)\"") == list{"\xe4", "&#228;&#8364;"});
  CHECK(all_of(merged({utf8, utf8}).parts[0], "<userParam name=\"([^m][^\"]*)\"").size() == 2);
}

TEST_CASE("mzml: documents that cannot be one are refused") {
  std::string const good = text_of(document{{{{mz({1}), intensity({1})}}}});
  std::string const old = replaced(good, "version=\"1.1.0\"", "version=\"1.0.0\"");
  CHECK(refusal_of({good, old}) == "cannot merge: in/2&.mzML: it is mzML 1.0.0, and only documents of mzML 1.1 can become one");
  CHECK(merged({old}).parts.size() == 1);
  auto const with_prefix = [&](std::string const& space) {
    return replaced(good, "<mzML xmlns=", "<mzML xmlns:x=\"" + space + "\" xmlns=");
  };
  CHECK(refusal_of({good, with_prefix("urn:x"), with_prefix("urn:y")}) ==
        "cannot merge: in/3&.mzML: xmlns:x is 'urn:y' in it, and 'urn:x' in the inputs before");
  CHECK(merged({with_prefix("urn:x"), good, with_prefix("urn:x")}).parts.size() == 1);
  // A prefix that another document declares is declared in the output, as its spectra may use it.
  std::string const used = replaced(with_prefix("urn:x"), "<spectrum ", "<spectrum x:y=\"1\" ");
  std::string const joined = merged({good, used, with_prefix("urn:x")}).parts[0];
  CHECK(all_of(joined, "(xmlns:x=\"[^\"]*\")") == std::vector<std::string>{"xmlns:x=\"urn:x\""});
  CHECK(all_of(joined, "<mzML ([^>]*)>") ==
        std::vector<std::string>{"xmlns=\"http://psi.hupo.org/ms/mzml\" version=\"1.1.0\" xmlns:x=\"urn:x\""});
  std::string const other_tags = replaced(replaced(good, "<mzML xmlns=", "<y:mzML xmlns:y="), "</mzML>", "</y:mzML>");
  CHECK(refusal_of({good, other_tags}) == "cannot merge: in/2&.mzML: its tags have other prefixes than those of in/1&.mzML");
  CHECK(refusal_of({good, "<mzML></mzML>"}) == "cannot merge: in/2&.mzML: the document has no run");
  CHECK(refusal_of({good, ""}).starts_with("malformed XML: in/2&.mzML:1: "));
  CHECK(refusal_of({good, good.substr(0, good.size() - 300)}).starts_with("malformed XML: in/2&.mzML:"));
  CHECK(refusal_of({good, good.substr(0, good.find("</spectrum>"))}).starts_with("truncated: in/2&.mzML:"));
  // Open elements take memory: a document has less than a thousand.
  auto const with_depth = [&](std::size_t depth) {
    std::string begin, end;
    for (std::size_t i = 0; i < depth; ++i) begin += "<x>", end += "</x>";
    return with_head(begin + end, "<run id=\"r\">");
  };
  CHECK(merged({with_depth(900), good}).parts.size() == 1);
  CHECK(refusal_of({with_depth(200'000), good}).starts_with("nested elements: in/1&.mzML:"));

  // Of nothing there is no index.
  std::string const nothing = "<mzML version=\"1.1.0\"><run id=\"r\"/></mzML>";
  CHECK(merged({nothing, nothing}).parts[0].find("<indexList") == std::string::npos);
  CHECK(merged({nothing, good}).parts[0].find("<spectrumList count=\"1\"") != std::string::npos);
}

TEST_CASE("mzml: parts are documents of their own") {
  document in;
  for (std::size_t i = 0; i < 40; ++i) in.spectra.push_back({{mz({1, 2}), intensity({double(i), 2})}});
  std::string const text = text_of(in);
  std::string const id = "<spectrum [^>]*id=\"([^\"]*)\"";
  auto const all = all_of(text, id);
  auto const check = [&](outcome const& made) {
    std::vector<std::string> found;
    for (std::size_t k = 0; k < made.parts.size(); ++k) {
      std::string const& part = made.parts[k];
      auto const some = all_of(part, id);
      found.insert(found.end(), some.begin(), some.end());
      CHECK(all_of(part, "<spectrumList count=\"([0-9]*)\"") == std::vector<std::string>{fmt::format("{}", some.size())});
      CHECK((part.find("<chromatogramList") == std::string::npos) == (k != 0));
      CHECK(all_of(part, "<offset idRef=\"(c[^\"]*)\"") == some);
    }
    CHECK(found == all);
  };
  order_options by;
  by.parts = 3;
  outcome made = merged({text}, by);
  CHECK(made.parts.size() == 3);
  check(made);
  by.parts = 60;
  made = merged({text}, by);
  CHECK(made.parts.size() == 60);
  check(made);
  by.parts.reset();
  for (std::size_t const size : {std::size_t{1}, std::size_t{4000}, std::size_t{9000}, text.size() + 10'000}) {
    by.part_bytes = size;
    made = merged({text}, by);
    check(made);
    CHECK(made.parts.size() == (size == 1 ? 40 : size > text.size() ? 1 : made.parts.size()));
    for (auto const& part : made.parts)
      if (size != 1) CHECK(part.size() <= size);
  }
  CHECK(merged({text_of(document{})}, by).parts.size() == 1);
  by.parts = 2;
  CHECK_THROWS_AS(merged({text}, by), ordo::usage_error);
  by.part_bytes.reset();
  by.parts = 0;
  CHECK_THROWS_AS(merged({text}, by), ordo::usage_error);
  CHECK_THROWS_AS(merged({}), ordo::usage_error);
  by = {};
  by.folders.clear();
  text_parts to;
  CHECK_THROWS_MATCHES(order_mzml(spectrum_inputs{1, {}}, to, {}, by), ordo::usage_error,
                       Catch::Matchers::Message("no folder for temporary files"));
}

TEST_CASE("mzml: an input gets the first suffix that makes all of its ids new") {
  using ordo::spectra::detail::id_hash;
  ordo::spectra::detail::unique_ids ids;
  auto const input = [&](std::vector<std::string> const& some) {
    for (auto const& one : some) ids.add(id_hash(one));
    ids.end_input();
  };
  std::vector<std::string> many;
  for (std::size_t i = 0; i < 5000; ++i) many.push_back(fmt::format("scan={}", i));
  input(many);
  input({"a", "a file=3", "a file=4"});
  input({"b", "a"});
  input({});
  input({"c"});
  input({"scan=4999", "new"});
  CHECK(ids.suffix(0).empty());
  CHECK(ids.suffix(1).empty());
  CHECK(ids.suffix(2) == " file=5");
  CHECK(ids.suffix(3).empty());
  CHECK(ids.suffix(4).empty());
  CHECK(ids.suffix(5) == " file=6");
}
