#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/spectra/order.hpp"
#include "spectra/external/keys.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/io_ends.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace {

using namespace ordo::spectra;

// The result of ordering the spectra of some texts.
struct outcome {
  std::vector<std::string> parts;
  std::vector<spectrum_origin> origins;
  order_report report;
  std::vector<std::string> warnings;
};

class kept_parts final : public output_parts {
 public:
  explicit kept_parts(bool addressed, std::uint64_t bad = ~std::uint64_t{0}) : addressed_(addressed), bad_(bad) {}
  ordo::sink& open(std::size_t part) override {
    if (part != sinks_.size()) throw std::logic_error("parts are opened one after the other");
    return *sinks_.emplace_back(std::make_unique<test_sink>(addressed_, bad_));
  }
  void close(std::size_t part) override {
    if (part != closed_++) throw std::logic_error("parts are closed one after the other");
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    CHECK(closed_ == sinks_.size());
    std::vector<std::string> all;
    for (auto const& one : sinks_) all.push_back(one->text());
    return all;
  }

 private:
  bool addressed_;
  std::uint64_t bad_;
  std::vector<std::unique_ptr<test_sink>> sinks_;
  std::size_t closed_ = 0;
};

struct setting {
  bool from_addressed = true, to_addressed = true;
  std::uint64_t bad = ~std::uint64_t{0};
};

outcome order(std::vector<std::string> const& texts, order_options options, sort_options peaks = {}, setting const& at = {}) {
  outcome made;
  peaks.on_warning = [&](std::string const& message) { made.warnings.push_back(message); };
  options.on_written = [&](std::span<spectrum_origin const> some) {
    made.origins.insert(made.origins.end(), some.begin(), some.end());
  };
  spectrum_inputs const from{texts.size(), [&](std::size_t k) {
                               return spectrum_inputs::opened{std::make_unique<test_source>(texts[k], at.from_addressed),
                                                              fmt::format("text {}", k), 0};
                             }};
  kept_parts to(at.to_addressed, at.bad);
  made.report = order_spectra(from, to, peaks, options);
  made.parts = to.texts();
  return made;
}

std::string spectrum_text(std::string_view title, std::string_view more, std::string_view peaks = "1 1\n") {
  return fmt::format("BEGIN IONS\nTITLE={}\n{}\n{}END IONS\n", title, more, peaks);
}

order_options by(std::vector<spectrum_key> keys, bool descending = false) {
  order_options options;
  options.order = {std::move(keys), descending};
  return options;
}

// The titles of an output, one after the other.
std::string titles_of(std::string const& text) {
  std::string all;
  for (std::size_t at = 0; (at = text.find("TITLE=", at)) != text.npos;) {
    at += 6;
    all += text.substr(at, text.find('\n', at) - at) + ' ';
  }
  return all;
}

// Spectra whose titles say what their place is, by precursor and then as they come.
std::string many(std::size_t count, unsigned seed, std::size_t first = 0) {
  std::mt19937 random(seed);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("BEGIN IONS\nTITLE={}\nPEPMASS={}\n", first + i, 300 + random() % 50);
    for (std::size_t p = random() % 20; p > 0; --p) text += fmt::format("{} {}\n", random() % 1000, random() % 100);
    text += random() % 2 ? "END IONS\n\n" : "END IONS\n";
    if (random() % 5 == 0) text += fmt::format("# before {}\n", first + i + 1);
  }
  return text;
}

}  // namespace

TEST_CASE("spectra are put in order by each key, what is missing last", "[spectra][order]") {
  std::string const text = spectrum_text("b", "PEPMASS=500\nCHARGE=2+\nRTINSECONDS=9\nSCANS=12", "1 1\n2 1\n") +
                           spectrum_text("c", "PEPMASS=300\nCHARGE=4-\nRTINSECONDS=-1") + spectrum_text("", "PEPMASS=0", "") +
                           spectrum_text("a", "PEPMASS=400\nCHARGE=1+\nRTINSECONDS=10\nSCANS=9", "1 1\n2 1\n3 1\n");
  auto const titles = [&](spectrum_key key, bool descending) {
    outcome const made = order({text}, by({key}, descending));
    CHECK(made.report.done.spectra_kept == 4);
    CHECK(made.report.missing.at(0) == (key == spectrum_key::peaks ? 0 : key == spectrum_key::scan ? 2 : 1));
    return titles_of(made.parts.at(0));
  };
  CHECK(titles(spectrum_key::pepmass, false) == "c a b  ");
  CHECK(titles(spectrum_key::pepmass, true) == "b a c  ");
  CHECK(titles(spectrum_key::mass, false) == "a b c  ");
  CHECK(titles(spectrum_key::rt, false) == "c b a  ");
  CHECK(titles(spectrum_key::scan, false) == "a b c  ");
  CHECK(titles(spectrum_key::scan, true) == "b a c  ");
  CHECK(titles(spectrum_key::charge, false) == "c a b  ");
  CHECK(titles(spectrum_key::title, false) == "a b c  ");
  CHECK(titles(spectrum_key::title, true) == "c b a  ");
  CHECK(titles(spectrum_key::peaks, false) == " c b a ");
  CHECK_THROWS_WITH(order({text}, by({spectrum_key::rt, spectrum_key::rt})), Contains("rt: the key is there twice"));
}

TEST_CASE("titles that begin alike, and of any bytes", "[spectra][order]") {
  std::vector<std::string> const names{
      "spectrum 10", "spectrum 9", "spectrum 1", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\xff",
      "A",           "spectrum 10"};
  std::string text;
  for (std::string const& name : names) text += spectrum_text(name, "");
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  for (bool const descending : {false, true}) {
    std::string wanted;
    for (std::string const& name : sorted) wanted += name + ' ';
    CHECK(titles_of(order({text}, by({spectrum_key::title}, descending)).parts.at(0)) == wanted);
    order_options little = by({spectrum_key::title}, descending);
    little.memory = 0;
    sort_options blocks;
    blocks.chunk_bytes = 1;
    CHECK(titles_of(order({text}, little, blocks).parts.at(0)) == wanted);
    std::ranges::reverse(sorted);
  }
}

TEST_CASE("thousands of titles: equal ones, ends of others, zeros and none", "[spectra][order]") {
  std::vector<std::string> names;
  for (int i = 0; i < 4000; ++i) {
    names.push_back(fmt::format("20260101_run_{}.{}.{}", i % 3, i * 7919 % 50000, i % 2));
    names.push_back("one title of many spectra");
    names.push_back(std::string("one title of many spectra").substr(0, std::size_t(i % 20)));
    names.push_back("zeros" + std::string(std::size_t(i % 11), '\0') + (i % 64 == 0 ? "\xff" : ""));
  }
  for (bool const descending : {false, true}) {
    detail::order_keys const keys(by({spectrum_key::title}, descending).order);
    detail::key_table table;
    table.codes.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      spectrum_header header;
      header.title = names[i];
      keys.encode(header, 0, &table.codes[i]);
      table.titles.push_back(names[i]);
    }
    std::vector<std::uint32_t> wanted(names.size());
    std::iota(wanted.begin(), wanted.end(), 0);
    std::ranges::stable_sort(wanted, [&](std::uint32_t a, std::uint32_t b) {
      if (names[a].empty() || names[b].empty()) return !names[a].empty() && names[b].empty();
      return descending ? names[b] < names[a] : names[a] < names[b];
    });
    CHECK(detail::sorted_order(keys, table, names.size(), {}) == wanted);
  }
}

TEST_CASE("it does not matter how much memory there is, how inputs are read and outputs written", "[spectra][order]") {
  std::vector<std::string> const texts{many(3000, 1), "", many(1, 2, 3000), many(2500, 3, 3001)};
  order_options options = by({spectrum_key::pepmass, spectrum_key::peaks});
  outcome const wanted = order(texts, options);
  CHECK(wanted.report.runs == 0);
  REQUIRE(wanted.origins.size() == 5501);
  // In order, and stable: equal spectra in the order of inputs and places.
  struct place {
    double mz;
    std::ptrdiff_t peaks;
    std::size_t input;
    std::uint64_t number;
    auto operator<=>(place const&) const = default;
  };
  std::vector<place> places;
  for (spectrum_origin const& one : wanted.origins) {
    std::string const& text = texts[one.input];
    REQUIRE(text.compare(one.offset, 11, "BEGIN IONS\n") == 0);
    std::string const own = text.substr(one.offset, text.find("END IONS", one.offset) - one.offset);
    places.push_back(
        {std::stod(own.substr(own.find("PEPMASS=") + 8)), std::ranges::count(own, '\n') - 3, one.input, one.number});
  }
  CHECK(std::ranges::is_sorted(places));
  CHECK(std::ranges::adjacent_find(places) == places.end());
  temporary_folder const folder;
  options.folders = {folder.path("")};
  bool several_passes = false;
  for (std::size_t const memory : {std::size_t{0}, std::size_t{200} << 10, std::size_t{2} << 20})
    for (bool const from_addressed : {true, false})
      for (bool const to_addressed : {true, false})
        for (unsigned const threads : {1u, 3u}) {
          options.memory = memory;
          sort_options peaks;
          peaks.machine.threads = threads;
          if (memory == 0) peaks.chunk_bytes = 5000;
          outcome const made = order(texts, options, peaks, {from_addressed, to_addressed});
          CHECK(made.parts == wanted.parts);
          CHECK(made.report.runs > 0);
          several_passes |= made.report.passes > 1;
          CHECK(made.origins.size() == wanted.origins.size());
          CHECK(std::ranges::equal(made.origins, wanted.origins, [](auto const& a, auto const& b) {
            return a.input == b.input && a.number == b.number && a.offset == b.offset;
          }));
          CHECK(folder.count() == 0);
        }
  CHECK(several_passes);
}

TEST_CASE("parts hold whole spectra, and what stands first in each", "[spectra][order]") {
  std::string const head = "COM=head\n", text = head + many(500, 4);
  order_options options = by({spectrum_key::pepmass});
  std::string const whole = order({text}, options).parts.at(0).substr(head.size());
  std::string plain = text;
  sort(plain, plain, {});
  plain.erase(0, head.size());
  for (std::size_t const memory : {std::size_t{1} << 30, std::size_t{0}})
    for (bool const ordered : {true, false})
      for (std::uint64_t const size : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{50000}, std::uint64_t{1} << 40}) {
        options.order.by = {};
        if (ordered) options.order.by = {spectrum_key::pepmass};
        options.memory = memory;
        options.part_bytes = size;
        outcome const made = order({text}, options);
        std::string all;
        for (std::string const& part : made.parts) {
          CHECK(part.starts_with(head + "BEGIN IONS") + part.starts_with(head + "#") == 1);
          bool const one_alone = part.find("BEGIN IONS") == part.rfind("BEGIN IONS");
          CHECK((part.size() <= size || one_alone));
          all += part.substr(head.size());
        }
        CHECK(all == (ordered ? whole : plain));
        CHECK(made.report.parts == made.parts.size());
        if (!ordered) CHECK(made.report.runs == 0);  // written as they come
      }
  options.part_bytes.reset();
  for (std::uint64_t const count : {1, 3, 500, 3000}) {
    options.order.by = {spectrum_key::pepmass};
    options.memory = 0;
    options.parts = count;
    outcome const made = order({text}, options);
    REQUIRE(made.parts.size() == count);
    std::string all;
    for (std::string const& part : made.parts) {
      CHECK(part.starts_with(head));
      all += part.substr(head.size());
    }
    CHECK(all == whole);
    if (count == 3)
      for (std::string const& part : made.parts) CHECK(part.size() < whole.size() / 3 + 1000);
  }
  options.part_bytes = 5;
  CHECK_THROWS_AS(order({text}, options), ordo::usage_error);
  test_sink whole_output(true);
  CHECK_THROWS_MATCHES(order_spectra(spectrum_inputs{}, whole_output, {}, options), ordo::usage_error,
                       Catch::Matchers::Message("a single sink has no parts"));
  CHECK(order({}, by({})).parts == std::vector<std::string>{""});
}

TEST_CASE("parameters of inputs that become one must agree", "[spectra][order]") {
  std::string const a = spectrum_text("a", "PEPMASS=2"), b = spectrum_text("b", "PEPMASS=1");
  order_options const options = by({spectrum_key::pepmass});
  CHECK(order({"CHARGE=2+\n\n" + a, "CHARGE=2+\n\n" + b}, options).parts.at(0) == "CHARGE=2+\n\n" + b + a);
  CHECK(order({"CHARGE=2+\n" + a, "# note\nCHARGE=2+\n" + b}, options).parts.at(0) == "CHARGE=2+\n# note\n" + b + a);
  CHECK(order({"# note\n", "CHARGE=2+\n" + a}, options).parts.at(0) == "# note\nCHARGE=2+\n" + a);
  CHECK_THROWS_WITH(order({"CHARGE=2+\n" + a, "CHARGE=3+\n" + b}, options),
                    Contains("other global parameters: text 1: it has CHARGE=3+, and text 0 has CHARGE=2+"));
  CHECK_THROWS_WITH(order({"CHARGE=2+\n" + a, b}, options), Contains("text 1: it has no CHARGE, and text 0 has CHARGE=2+"));
  CHECK_THROWS_WITH(order({a, "TOL=1\n" + b}, options), Contains("text 1: it has TOL=1, and text 0 has no TOL"));
  outcome const about = order({"COM=one\n" + a, "COM=two\n" + b}, options);
  CHECK(about.parts.at(0) == "COM=one\n" + b + a);
  REQUIRE(about.warnings.size() == 1);
  CHECK(about.warnings[0] == "left out: text 1: 'COM=two', where those of text 0 stand");
  CHECK(about.report.done.warnings == 1);
}

TEST_CASE("what stands between spectra moves with them", "[spectra][order]") {
  std::string const text =
      "# head\nBEGIN IONS\nPEPMASS=3\nEND IONS\n\n \n# of two\n\nBEGIN IONS\nPEPMASS=2\nEND IONS\n5.5\n\r\n# tail";
  outcome const made = order({text, "BEGIN IONS\r\nPEPMASS=1\r\nEND IONS"}, by({spectrum_key::pepmass}));
  CHECK(made.parts.at(0) ==
        "# head\n5.5\n\r\n# tail\r\nBEGIN IONS\r\nPEPMASS=1\r\nEND IONS\r\n"
        "# of two\n\nBEGIN IONS\nPEPMASS=2\nEND IONS\nBEGIN IONS\nPEPMASS=3\nEND IONS\n\n \n");
  std::string const mark = "\xef\xbb\xbf", one = spectrum_text("a", "PEPMASS=5"), two = spectrum_text("b", "PEPMASS=4");
  CHECK(order({mark + one + two, mark + one}, by({spectrum_key::pepmass})).parts.at(0) == mark + two + one + one);
  CHECK(order({one, mark + two}, by({spectrum_key::pepmass})).parts.at(0) == two + one);

  std::string const moved = one + "CHARGE=3+\n" + two;
  CHECK_THROWS_WITH(order({moved}, by({})),
                    Contains("parameter between spectra: text 0:6: 'CHARGE=3+' would come to stand before other spectra"));
  sort_options lenient;
  lenient.lenient = true;
  outcome const forgiven = order({moved}, by({spectrum_key::pepmass}), lenient);
  CHECK(forgiven.parts.at(0) == "CHARGE=3+\n" + two + one);
  CHECK(forgiven.warnings.size() == 1);
  CHECK_THROWS_WITH(order({one + "BEGIN IONS\n1 1\n" + two}, by({}), lenient), Contains("missing END IONS: text 0:8"));
  CHECK_THROWS_WITH(order({one + "BEGIN IONS\n1 1\n"}, by({}), lenient), Contains("missing END IONS: text 0:"));
}

TEST_CASE("spectra in order with peaks that are sorted and selected", "[spectra][order]") {
  std::string const text = spectrum_text("a", "PEPMASS=2", "5 1\n3 2\n4 9\n") + "\n" +
                           spectrum_text("b", "PEPMASS=1", "1 1\n") + "\n# of c\n" +
                           spectrum_text("c", "PEPMASS=1.5", "9 3\n8 4\n");
  sort_options peaks;
  peaks.select.top = 2;
  peaks.select.min_peaks = 2;
  outcome const made = order({text}, by({spectrum_key::peaks, spectrum_key::pepmass}), peaks);
  CHECK(made.parts.at(0) ==
        "\n# of c\n" + spectrum_text("c", "PEPMASS=1.5", "8 4\n9 3\n") + spectrum_text("a", "PEPMASS=2", "3 2\n4 9\n") + "\n");
  CHECK(made.report.done.spectra_kept == 2);
  CHECK(made.report.done.peaks_kept == 4);
  REQUIRE(made.origins.size() == 2);
  CHECK(made.origins[0].number == 2);
}

TEST_CASE("an order fails whole: bad values, inputs that cannot be read, outputs and folders that cannot be written",
          "[spectra][order]") {
  std::string const text = many(2000, 7);
  order_options options = by({spectrum_key::pepmass});
  options.memory = 0;
  for (bool const addressed : {true, false})
    CHECK_THROWS_WITH(order({text}, options, {}, {true, addressed, text.size() / 2}), Contains("no space"));
  options.folders = {"/does/not/exist"};
  CHECK_THROWS_AS(order({text}, options), ordo::output_error);
  options.folders = {};
  CHECK_THROWS_AS(order({text}, options), ordo::usage_error);
  std::string const comma = spectrum_text("a", "PEPMASS=281,2\nRTINSECONDS=soon");
  CHECK_THROWS_WITH(order({comma}, by({spectrum_key::pepmass})), Contains("decimal comma: text 0:3"));
  CHECK_THROWS_WITH(order({comma}, by({spectrum_key::rt})),
                    Contains("not a number: text 0:4: the value of 'RTINSECONDS=soon'"));
  CHECK(order({comma}, by({spectrum_key::title})).parts.at(0) == comma);
  sort_options lenient;
  lenient.lenient = true;
  CHECK(order({comma}, by({spectrum_key::pepmass}), lenient).report.missing.at(0) == 1);
}

TEST_CASE("a cosine of duplicates that is not above 0 and up to 1 is refused", "[spectra][order]") {
  duplicate_rule rule;
  for (double const wrong : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    rule.min_cosine = wrong;
    CHECK_THROWS_MATCHES(find_duplicates(spectrum_inputs{}, {}, rule), ordo::usage_error,
                         Catch::Matchers::Message("the cosine of duplicates is not above 0 and up to 1"));
  }
}
