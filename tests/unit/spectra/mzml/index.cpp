#include <string>
#include <utility>
#include <vector>

#include "spectra/mzml/document/index.hpp"
#include "tests/unit/spectra/mzml/cases.hpp"

// The index of an indexedmzML is made of what is in the document, whatever it was.
namespace {

using namespace mzml;
using ordo::spectra::order_options;
using ordo::spectra::sort_options;
using ordo::spectra::spectrum_key;

std::string with_index(std::string const& text, std::string const& index) {
  std::size_t const begin = text.find(" <indexList"), end = text.find(" <indexListOffset");
  return text.substr(0, begin) + index + text.substr(end);
}

struct outcome {
  std::string text, warning;
};

// Chunks of any size give the same result.
outcome made_of(std::string const& text, sort_options options = {}) {
  outcome made;
  options.on_warning = [&](std::string const& message) { made.warning = message; };
  made.text = without_checksum(sorted(text, options));
  return made;
}

outcome ordered(std::string const& text) {
  outcome made;
  sort_options options;
  options.name = "f.mzML";
  options.machine.device = ordo::device::cpu;
  options.on_warning = [&](std::string const& message) { made.warning = message; };
  ordo::memory_source from(text);
  text_sink to;
  order_options by;
  by.order = {{spectrum_key::scan}, true};
  ordo::spectra::order_mzml(from, to, options, by);
  made.text = to.text;
  return made;
}

}  // namespace

TEST_CASE("mzml: entries that an index lacks are added, those of nothing are left out, and that is told") {
  document of_three{{{{mz({1, 2}), intensity({1, 2})}}, {{mz({1, 2}), intensity({1, 2})}}, {{mz({1, 2}), intensity({1, 2})}}},
                    true};
  std::string const right = text_of(of_three), expected = without_checksum(right);
  CHECK(made_of(right).text == expected);
  CHECK(made_of(right).warning.empty());
  auto const entry = [&](int scan) {
    std::size_t const begin = right.find(fmt::format("   <offset idRef=\"controllerType=0 scan={}\">", scan));
    return right.substr(begin, right.find('\n', begin) + 1 - begin);
  };
  std::string const start = "f.mzML: the index was wrong and is made anew: ";
  auto const check = [&](std::string const& what, std::string const& by, std::string const& told) {
    CAPTURE(what, by);
    outcome const made = made_of(replaced(right, what, by));
    CHECK(made.text == expected);
    CHECK(made.warning == (told.empty() ? "" : start + told));
    // In another order of the spectra, too.
    CHECK(ordered(replaced(right, what, by)).text == ordered(right).text);
  };
  check(entry(1), "", "1 entries missing");
  check(entry(2), "", "1 entries missing");
  check(entry(3), "", "1 entries missing");
  check(entry(1) + entry(2), "", "2 entries missing");
  check(entry(2), entry(2) + entry(2), "1 entries of nothing in the document");
  check(entry(2), entry(2) + "   <offset idRef=\"none\">5</offset>\n", "1 entries of nothing in the document");
  check(entry(2), "   <offset idRef=\"none\"/>\n", "1 entries missing, 1 entries of nothing in the document");
  check(entry(2), replaced(entry(2), "\">", "\"> 0"), "");  // a number all the same
  check(entry(2), replaced(entry(2), "\">", "\">9"), "1 wrong offsets");
  check(entry(2), replaced(entry(2), "\">", "\">x"), "1 wrong offsets");
  check(entry(1) + entry(2), entry(2) + entry(1), "1 entries in another order");
  check("<offset idRef=\"TIC\"", "<offset idRef=\"BPC\"", "1 entries missing, 1 entries of nothing in the document");
  check("<indexListOffset>", "<indexListOffset>1", "1 wrong offsets");
  check("<indexList count=\"2\"", "<indexList count=\"1\"", "");
}

TEST_CASE("mzml: an index that a document lacks is added, and all that goes with it") {
  std::string const right = text_of(document{{{{mz({1, 2}), intensity({1, 2})}}, {{mz({1, 2}), intensity({1, 2})}}}, true});
  std::size_t const first = right.find("<spectrum "), second = right.find("<spectrum ", first + 1),
                    tic = right.find("<chromatogram ");
  std::string const spectra =
      fmt::format("<offset idRef=\"controllerType=0 scan=1\">{}</offset><offset idRef=\"controllerType=0 scan=2\">{}</offset>",
                  first, second);
  std::string const chromatograms = fmt::format("<offset idRef=\"TIC\">{}</offset>", tic);
  auto const without_blanks = [](std::string const& text) {
    std::string made;
    std::size_t const begin = text.find("</mzML>");
    for (char const c : text.substr(begin))
      if (c != '\n') made += c;
    std::string tight;
    for (char const c : made)
      if (c != ' ' || (!tight.empty() && tight.back() != '>' && tight.back() != ' ')) tight += c;
    return tight;
  };
  auto const list = [](std::string const& count, std::string const& a, std::string const& b) {
    return fmt::format(
        "</mzML><indexList count=\"{}\"><index name=\"spectrum\">{}</index><index name=\"chromatogram\">{}</index></indexList>",
        count, a, b);
  };
  for (std::string const index :
       {" <indexList count=\"2\"><index name=\"spectrum\"/><index name=\"chromatogram\"></index></indexList>\n",
        " <indexList count=\"1\"><index name=\"spectrum\"/></indexList>\n", " <indexList count=\"0\"></indexList>\n",
        " <indexList count=\"0\"/>\n", " <indexList/>\n", ""}) {
    CAPTURE(index);
    std::string const made = sorted(with_index(right, index));
    std::string const count = index.find("count") == std::string::npos && !index.empty() ? "" : "2";
    std::string expected = list("2", spectra, chromatograms);
    if (count.empty()) expected = replaced(expected, " count=\"2\"", "");
    CHECK(without_blanks(made).starts_with(expected));
    std::size_t const at = made.find("<indexList");
    CHECK(made.find(fmt::format("<indexListOffset>{}<", at)) != std::string::npos);
    CHECK(sorted(made) == made);
  }
  // With neither place nor checksum, and in a prefix.
  std::string bare = right.substr(0, right.find(" <indexList")) + "</indexedmzML>\n";
  std::string const made = sorted(bare);
  CHECK(without_blanks(made).starts_with(list("2", spectra, chromatograms)));
  CHECK(made.find(fmt::format("<indexListOffset>{}</indexListOffset>\n<fileChecksum>", made.find("<indexList"))) !=
        std::string::npos);
  CHECK(sorted(made) == made);
  std::string const prefixed =
      replaced(replaced(replaced(bare, "<indexedmzML xmlns=", "<i:indexedmzML xmlns:i="), "</indexedmzML>", "</i:indexedmzML>"),
               "xmlns:i=\"http://psi.hupo.org/ms/mzml\"", "xmlns:i=\"http://psi.hupo.org/ms/mzml\"");
  std::string const prefixed_made = sorted(prefixed);
  CHECK(prefixed_made.find("<i:offset idRef=\"TIC\">") != std::string::npos);
  CHECK(sorted(prefixed_made) == prefixed_made);

  // An index of nothing may be missing; dropped spectra need none.
  std::string const none = text_of(document{{}, true});
  CHECK(without_checksum(sorted(none)) == without_checksum(none));
  sort_options options;
  options.keep_metadata = true;
  options.select.min_peaks = 3;
  outcome const few = made_of(right, options);
  CHECK(few.text.find("idRef=\"controllerType") == std::string::npos);
  CHECK(few.warning.empty());
}

TEST_CASE("mzml: an id is written in the index as it is in the document") {
  std::string const right = text_of(document{{{{mz({1, 2}), intensity({1, 2})}}, {{mz({1, 2}), intensity({1, 2})}}}, true});
  std::string const entry = "<offset idRef=\"controllerType=0 scan=2\">";
  std::string const named = replaced(right, "id=\"controllerType=0 scan=2\"", "id='a \"&lt;&#65;\xc3\xa4'");
  CHECK(sorted(named).find("<offset idRef='a \"&lt;&#65;\xc3\xa4'>") != std::string::npos);
  std::string const told = sorted(replaced(named, entry, "<offset idRef=\"a &quot;&#x3c;A\xc3\xa4\">"));
  CHECK(told.find("<offset idRef=\"a &quot;&#x3c;A\xc3\xa4\">") != std::string::npos);
}

TEST_CASE("mzml: elements that are indexed are remembered in little memory, and found") {
  using ordo::spectra::detail::indexed_elements;
  indexed_elements all;
  std::vector<std::pair<std::string, std::uint64_t>> const known{{"\"scan=1\"", 100},
                                                                 {"\"scan=10\"", 300},
                                                                 {"", 300},
                                                                 {"\"" + std::string(1000, 'x') + "\"", 1ull << 40},
                                                                 {"\"scan=1\"", 1ull << 63}};
  for (auto const& [name, at] : known) all.add(std::hash<std::string>{}(name), name, at, at + 5);
  CHECK(all.find(std::hash<std::string>{}("\"scan=1\"")) == 0u);
  for (std::size_t i = 0; i < known.size(); ++i) {
    auto const one = all.next();
    REQUIRE(one);
    CHECK(
        (one->name == known[i].first && one->read_at == known[i].second && one->at == known[i].second + 5 && one->number == i));
    CHECK(all.find(std::hash<std::string>{}("\"scan=1\"")) == (i < 4 ? 4u : 0u));  // the next, if there is one
    CHECK_FALSE(all.find(7));
  }
  CHECK_FALSE(all.next());
  CHECK_FALSE(all.pop_added(1));
  all.note_added(1);
  CHECK(all.pop_added(1));
  CHECK_FALSE(all.pop_added(1));
}

TEST_CASE("mzml: a wrong checksum of an indexedmzML is found") {
  document made{{{{mz({1, 2}), intensity({1, 2})}}, {{mz({3}), intensity({4})}}}, true};
  std::string const good = sorted(text_of(made));
  std::size_t const sum = good.find("<fileChecksum>") + std::string_view("<fileChecksum>").size();
  std::string const stated = good.substr(sum, 40);
  auto const with = [&](std::string const& text) { return good.substr(0, sum) + text + good.substr(sum + 40); };
  std::string upper = stated, zeros(40, '0');
  for (char& c : upper) c = c >= 'a' ? char(c - 'a' + 'A') : c;
  auto const warning_of = [&](std::string const& text, ordo::spectra::format as) {
    std::optional<std::string> first;
    for (std::size_t const block : {std::size_t{1} << 20, std::size_t{1}, std::size_t{1000}}) {
      std::string warning, out;
      sort_options options;
      options.name = "f.mzML";
      options.machine.device = ordo::device::cpu;
      options.chunk_bytes = block;
      options.on_warning = [&](std::string const& message) { warning += message; };
      mzml::sort(text, out, options, as);
      if (!first) first = warning;
      CHECK(warning == *first);
      // The error of a check says the same.
      ordo::memory_source from{std::string_view(text)};
      std::string error;
      try {
        check_mzml(from, options);
      } catch (ordo::input_error const& e) {
        error = e.what();
      }
      CHECK(error == (warning.empty() ? "" : "wrong checksum: " + warning.substr(0, warning.find(": it was changed"))));
    }
    return *first;
  };
  using ordo::spectra::format;
  std::string const end = "', and the SHA-1 of the document is ", last = ": it was changed after it was written";
  for (format const as : {format::mzml, format::mgf}) {
    for (std::string const& right : {good, with(upper), with("\n " + stated + "\n"), with("0"), with(""), with(zeros)})
      CHECK(warning_of(right, as).empty());
    for (std::string const& wrong : {zeros.substr(1) + "1", stated.substr(1), std::string("none")})
      CHECK(warning_of(with(wrong), as) == "f.mzML: fileChecksum is '" + wrong + end + stated + last);
    std::string const changed = replaced(good, "scan=1\"", "scan=8\"");
    CHECK(warning_of(replaced(changed, "scan=1\"", "scan=8\""), as).starts_with("f.mzML: fileChecksum is '" + stated + end));
  }
}
