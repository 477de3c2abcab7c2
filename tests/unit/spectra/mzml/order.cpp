#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/spectra/mzml/cases.hpp"
#include "tests/unit/temporary_folder.hpp"

// Spectra of mzML put in order among each other.
namespace {

using namespace mzml;
using ordo::spectra::order_options;
using ordo::spectra::order_report;
using ordo::spectra::sort_options;
using ordo::spectra::spectrum_key;
using ordo::spectra::spectrum_origin;

struct outcome {
  std::string text;
  order_report report;
  std::vector<spectrum_origin> origins;
};

outcome order(std::string_view text, sort_options options, order_options by) {
  outcome made;
  by.on_written = [&](std::span<spectrum_origin const> some) {
    made.origins.insert(made.origins.end(), some.begin(), some.end());
  };
  ordo::memory_source from(text);
  ordo::growing_sink to;
  made.report = ordo::spectra::order_mzml(from, to, options, by);
  made.text = to.text();
  return made;
}

// By these keys; it must not matter in which pieces, by how many threads and in how much memory.
outcome ordered(std::string_view text, std::vector<spectrum_key> keys, bool descending = false, sort_options options = {}) {
  temporary_folder const folder;
  std::optional<outcome> first;
  options.name = "f.mzML";
  options.machine.device = ordo::device::cpu;
  for (std::size_t const block : {std::size_t{1} << 20, std::size_t{1}, std::size_t{1000}}) {
    options.chunk_bytes = block;
    options.machine.threads = block == 1 ? 1 : 3;
    order_options by;
    by.order = {keys, descending};
    by.folders = {folder.path("")};
    if (block != 1000) by.memory = 1;
    outcome const made = order(text, options, by);
    CHECK(made.report.done.bytes == text.size());
    CHECK(made.report.parts == 1);
    if (!first) first = made;
    CHECK((made.text == first->text));
    CHECK(made.report.missing == first->report.missing);
  }
  return *first;
}

spectrum with_precursor(std::size_t number, std::string const& mz_text, std::vector<double> peaks = {1, 2}) {
  spectrum made{{mz(peaks), intensity(peaks)}};
  made.number = number;
  made.ion = mz_text.empty() ? "" : fmt::format("<cvParam accession=\"MS:1000744\" value=\"{}\"/>", mz_text);
  return made;
}

}  // namespace

TEST_CASE("mzml: spectra are put in order, numbered, and found by the index") {
  for (bool const indexed : {false, true}) {
    document in, expected;
    in.indexed = expected.indexed = indexed;
    in.spectra = {with_precursor(1, "500.5"), with_precursor(2, ""), with_precursor(3, "77", {3, 1}),
                  with_precursor(4, "500.5"), with_precursor(5, "1e2")};
    in.right_offsets = false;
    auto const of = [&](std::vector<std::size_t> const& numbers) {
      expected.spectra.clear();
      for (std::size_t const number : numbers) expected.spectra.push_back(in.spectra[number - 1]);
      for (auto& one : expected.spectra)
        if (one.number == 3) one.arrays = {mz({1, 3}), intensity({1, 3})};  // its peaks are put in order, too
      return without_checksum(text_of(expected));
    };
    std::string const text = text_of(in);
    outcome const made = ordered(text, {spectrum_key::pepmass});
    CHECK((without_checksum(made.text) == of({3, 5, 1, 4, 2})));
    CHECK(made.report.missing == std::vector<std::uint64_t>{1});
    REQUIRE(made.origins.size() == 5);
    CHECK(made.origins[0].number == 2);
    for (auto const& one : made.origins)
      CHECK(text.substr(one.offset, 50).find(fmt::format("<spectrum index=\"{}\"", one.number)) == 0);
    CHECK((without_checksum(ordered(text, {spectrum_key::pepmass}, true).text) == of({1, 4, 5, 3, 2})));
    CHECK((without_checksum(ordered(text, {spectrum_key::scan}, true).text) == of({5, 4, 3, 2, 1})));
    CHECK((without_checksum(ordered(text, {}).text) == of({1, 2, 3, 4, 5})));

    // Once more nothing changes, the checksum neither, which is right.
    CHECK((ordered(made.text, {spectrum_key::pepmass}).text == made.text));
    CHECK((sorted(made.text) == made.text));

    // Those of few peaks leave.
    in.spectra[4].arrays = {mz({1}), intensity({1})};
    sort_options few;
    few.select.min_peaks = 2;
    outcome const left = ordered(text_of(in), {spectrum_key::pepmass}, false, few);
    CHECK((without_checksum(left.text) == of({3, 1, 4, 2})));
    CHECK(left.report.done.spectra_kept == 4);
    CHECK(left.origins.back().number == 1);
    few.select.min_peaks = 3;
    CHECK((without_checksum(ordered(text_of(in), {spectrum_key::pepmass}, false, few).text) == of({})));
  }
}

TEST_CASE("mzml: spectra of any number are put in order in little memory, by runs") {
  document in, expected;
  in.indexed = expected.indexed = true;
  for (std::size_t i = 0; i < 2000; ++i) in.spectra.push_back(with_precursor(i + 1, std::to_string(1 + i * 7919 % 1000)));
  expected.spectra = in.spectra;
  std::ranges::sort(expected.spectra, {}, [](spectrum const& one) {
    return std::pair((one.number - 1) * 7919 % 1000, std::to_string(one.number));  // the rest of their titles is the same
  });
  outcome const made = ordered(text_of(in), {spectrum_key::pepmass, spectrum_key::title});
  CHECK(made.report.runs > 10);
  CHECK((without_checksum(made.text) == without_checksum(text_of(expected))));
  CHECK((sorted(made.text) == made.text));

  sort_options options;
  options.machine.device = ordo::device::cpu;
  order_options by;
  by.order.by = {spectrum_key::pepmass};
  by.memory = 1;
  by.folders = {"/no/such"};
  CHECK_THROWS_AS(order(text_of(in), options, by), ordo::output_error);
  by.folders = {};
  CHECK_THROWS_AS(order(text_of(in), options, by), ordo::usage_error);
  by.parts = 2;
  CHECK_THROWS_AS(order(text_of(in), options, by), ordo::usage_error);
}

TEST_CASE("mzml: what stands between spectra or entries goes with what follows; counts and numbers where there are some") {
  std::string const text =
      text_of(document{{with_precursor(1, "9"), with_precursor(2, "8"), with_precursor(3, "7", {1, 2, 3})}, true});
  std::vector<spectrum_key> const keys{spectrum_key::pepmass};
  std::string const plain = ordered(text, keys).text;
  auto const both = [&](std::string const& what, std::string const& by, std::string const& what_made,
                        std::string const& by_made) {
    std::string const made = ordered(replaced(text, what, by), keys).text;
    CHECK((without_checksum(sorted(replaced(plain, what_made, by_made))) == without_checksum(made)));
  };
  std::string const second = "   <spectrum index=\"1\"";
  both(second, "<!-- of <spectrum> 2 -->" + second, second, "<!-- of <spectrum> 2 -->" + second);
  both("  </spectrumList", "<!-- last --></spectrumList", "  </spectrumList", "<!-- last --></spectrumList");
  both(" count=\"3\"", "", " count=\"3\"", "");
  both(" count=\"3\">", " a='>' count=\"7\" b='>'>", " count=\"3\">", " a='>' count=\"3\" b='>'>");
  both("<spectrum index=\"2\" ", "<spectrum ", "<spectrum index=\"0\" ", "<spectrum ");
  std::string const entry = "   <offset idRef=\"controllerType=0 scan=2\">";
  both(entry, "<!-- 2 -->" + entry, entry, "<!-- 2 -->" + entry);

  // Entries that have no place for a number, and such as are empty.
  auto const with_entry = [&](std::string const& whole, std::string const& by) {
    std::size_t const begin = whole.find(entry), end = whole.find("\n", begin);
    return whole.substr(0, begin) + by + whole.substr(end);
  };
  std::string const closed = "<offset idRef=\"controllerType=0 scan=2\" />", empty = entry + "</offset >";
  CHECK((ordered(with_entry(text, closed), keys).text == sorted(with_entry(plain, closed))));
  CHECK((ordered(with_entry(text, empty), keys).text == sorted(with_entry(plain, empty))));
}
