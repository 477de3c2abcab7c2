// The seeded generators: the same bytes for the same seed, and the properties that they promise.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tbb/task_arena.h>

#include "ordo/error.hpp"
#include "tests/unit/catch.hpp"
#include "tools/generate/genome.hpp"
#include "tools/generate/names.hpp"
#include "tools/generate/random.hpp"
#include "tools/generate/spectra.hpp"
#include "tools/generate/strings.hpp"
#include "tools/generate/texts.hpp"

using namespace ordo::generate;

namespace {

template <class F>
std::string written(F const& write) {
  std::string text;
  sink out([&](std::span<char const> block) { text.append(block.data(), block.size()); });
  write(out);
  out.flush();
  return text;
}

std::string genome_text(genome_options const& options, genome_report& report) {
  return written([&](sink& out) { report = write_genome(options, out); });
}
std::string spectra_text(spectra_options const& options) {
  return written([&](sink& out) { write_spectra(options, out); });
}
std::string strings_text(std::string_view set, double scale, std::uint64_t seed = 1) {
  return written([&](sink& out) { write_strings({set, scale, seed}, out); });
}
std::string shuffled(std::string_view text, std::uint64_t seed) {
  return written([&](sink& out) { shuffle_lines(text, seed, out); });
}

// FNV-1a: enough to see a changed byte.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (char const c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  REQUIRE((text.empty() || text.ends_with('\n')));
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    auto const end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<std::string> records_of(std::string_view fasta) {
  std::vector<std::string> records;
  for (auto const line : lines_of(fasta))
    if (line[0] == '>')
      records.emplace_back();
    else
      records.back() += line;
  return records;
}

std::size_t common(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()), b.begin()).first -
                                  a.begin());
}

// Returns the longest common prefix of two suffixes, each to the end of its record, by sorting all of them.
std::size_t longest_repeat(std::vector<std::string> const& records) {
  std::vector<std::string_view> suffixes;
  for (std::string_view const record : records)
    for (std::size_t i = 0; i != record.size(); ++i) suffixes.push_back(record.substr(i));
  std::sort(suffixes.begin(), suffixes.end());
  std::size_t longest = 0;
  for (std::size_t i = 1; i != suffixes.size(); ++i) longest = std::max(longest, common(suffixes[i - 1], suffixes[i]));
  return longest;
}

// The suffix at a position of the concatenation, to the end of its record.
std::string_view suffix_at(std::vector<std::string> const& records, std::size_t position) {
  for (std::string_view const record : records) {
    if (position < record.size()) return record.substr(position);
    position -= record.size();
  }
  return {};
}

struct peak_line {
  double mz, intensity;
};
std::vector<std::vector<peak_line>> peaks_of(std::string_view mgf) {
  std::vector<std::vector<peak_line>> spectra;
  for (auto const line : lines_of(mgf)) {
    if (line == "BEGIN IONS") spectra.emplace_back();
    if (line.empty() || line[0] < '0' || line[0] > '9') continue;
    auto const gap = line.find_first_of(" \t");
    if (gap == line.npos) FAIL("one number only: " << line);
    spectra.back().push_back({std::stod(std::string(line.substr(0, gap))), std::stod(std::string(line.substr(gap + 1)))});
  }
  return spectra;
}

}  // namespace

TEST_CASE("the random source is xoshiro256++, its logarithm and exponential are right", "[generate]") {
  random_source random(0);
  // splitmix64 from 0 gives e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f, f88bb8a8724c81ec as the state.
  std::uint64_t const first = 0xe220a8397b1dcdaf + 0xf88bb8a8724c81ec;
  CHECK(random() == (first << 23 | first >> 41) + 0xe220a8397b1dcdaf);
  for (double x = 1e-9; x < 1e12; x *= 1.7) {
    CHECK(std::abs(exact_log(x) - std::log(x)) <= 1e-14 * std::max(1.0, std::abs(std::log(x))));
    CHECK(std::abs(exact_exp(exact_log(x)) / x - 1) < 1e-13);
  }
  std::map<std::size_t, std::size_t> drawn;
  std::vector<double> const weights{4, 0, 3, 2, 1};
  weighted_index const index(weights);
  for (int i = 0; i != 100000; ++i) ++drawn[index(random)];
  CHECK(drawn.count(1) == 0);
  for (std::size_t i = 0; i != weights.size(); ++i) CHECK(std::abs(static_cast<double>(drawn[i]) - weights[i] * 1e4) < 500);
}

TEST_CASE("the same seed gives the same bytes on every machine", "[generate]") {
  genome_options options;
  options.length = 30000;
  options.records = 3;
  options.copies = 2;
  options.soft_mask = true;
  genome_report report;
  CHECK(hash(genome_text(options, report)) == 0xac47313a9fde4ad6);
  options.seed = 2;
  CHECK(hash(genome_text(options, report)) == 0xc45233d8215f5052);
  CHECK(hash(uniform_text(10000, "ACGT", 7)) == 0xea1a4c301e0002a4);
  std::map<std::string_view, std::uint64_t> const spectra{{"proteomics", 0x5721cb6cec16dca6},
                                                          {"iontrap", 0x6d271248cee2975a},
                                                          {"gnps", 0x840f00d521b2754b},
                                                          {"timstof", 0x65c7d5286b46e14a},
                                                          {"profile", 0xfb1260d2b904a424},
                                                          {"peptides", 0xc1355d04a63a6e75}};
  REQUIRE(spectra.size() == spectra_presets().size());
  for (auto const preset : spectra_presets()) {
    INFO(preset);
    CHECK(hash(spectra_text({20, preset, "random", 3})) == spectra.at(preset));
  }
  std::map<std::string_view, std::uint64_t> const strings{
      {"artificial-2", 0x80b49665a03ceeb5}, {"artificial-4", 0xaa2f567d632aabea}, {"artificial-5", 0x662294d1a6133941},
      {"dictcalls", 0x335a2f70d65de1e0},    {"random", 0xdf62eaa7440ba6a1},       {"words", 0x7b17c61081a01347},
      {"url", 0x8248f8fbbc184dbd},          {"genome", 0x24465e0ea538792},        {"sentences", 0xec2ed2b952afa9f5},
      {"filelist", 0x9b18c570a3815bbc}};
  REQUIRE(strings.size() == string_sets().size());
  for (auto const& set : string_sets()) {
    INFO(set.name);
    CHECK(hash(strings_text(set.name, 0.001)) == strings.at(set.name));
  }
}

TEST_CASE("a genome has what it was asked for", "[generate]") {
  genome_options options;
  options.length = 50000;
  options.records = 7;
  options.width = 37;
  genome_report report;
  auto const text = genome_text(options, report);
  auto const records = records_of(text);
  REQUIRE(records.size() == 7);
  CHECK(report.records == 7);
  CHECK(report.residues == 50000);
  CHECK(std::accumulate(records.begin(), records.end(), std::size_t{0}, [](auto n, auto const& r) { return n + r.size(); }) ==
        50000);
  auto const lines = lines_of(text);
  CHECK(std::all_of(lines.begin(), lines.end(), [](auto line) { return line[0] == '>' || line.size() <= 37; }));
  CHECK(report.interspersed == 17500);
  CHECK(report.tandem == 1500);
  for (auto const& record : records) CHECK(record.find_first_not_of("ACGTN") == record.npos);

  options.soft_mask = true;
  auto masked = genome_text(options, report);
  CHECK(masked != text);
  for (std::size_t i = 0; i != masked.size(); ++i)
    if (masked[i] != text[i]) masked[i] = static_cast<char>(std::toupper(masked[i]));
  CHECK(masked == text);  // case is all that differs
}

TEST_CASE("however many threads make a genome, it is the one that is written", "[generate]") {
  genome_options options;
  options.length = 9'000'000;  // more than two blocks of what a thread makes at a time
  options.records = 3;
  options.copies = 2;
  options.divergence = 0.01;
  std::string by_all(2 * options.length, '\0'), by_one = by_all, written;
  auto const report = make_genome(options, by_all);
  tbb::task_arena(1).execute([&] { make_genome(options, by_one); });
  CHECK(by_one == by_all);
  genome_report report_of_written;
  for (auto const& record : records_of(genome_text(options, report_of_written))) written += record;
  CHECK(written == by_all);
  CHECK(report.residues == by_all.size());
  CHECK(report.planted.size() == report_of_written.planted.size());
  CHECK_THROWS_AS(make_genome(options, std::span(by_one).first(options.length)), ordo::usage_error);
}

TEST_CASE("the planted repeats are there, and are the longest", "[generate]") {
  genome_options options;
  options.length = 40000;
  options.seed = GENERATE(1u, 2u, 3u);
  options.records = GENERATE(1u, 5u);
  auto const check = [&] {
    genome_report report;
    auto const records = records_of(genome_text(options, report));
    REQUIRE_FALSE(report.planted.empty());
    for (auto const& repeat : report.planted) {
      INFO(repeat.length << " at " << repeat.first << " and " << repeat.second);
      auto const shared = common(suffix_at(records, repeat.first), suffix_at(records, repeat.second));
      if (repeat.type == planted_repeat::near_identical_copy)
        CHECK(shared >= repeat.length);
      else
        CHECK(shared == repeat.length);
    }
    CHECK(longest_repeat(records) == report.planted.front().length);
    return report;
  };
  SECTION("duplications") {
    options.n_runs = 0;
    auto const report = check();
    REQUIRE(report.planted.size() == 5);
    CHECK(report.planted[0].type == planted_repeat::duplication);
    if (options.records == 1) CHECK(report.planted[0].length == 400);
  }
  SECTION("runs of N") {
    options.n_run_length = 900;
    auto const report = check();
    CHECK(report.planted.size() == 8);
    CHECK(report.planted[0].type == planted_repeat::n_run);
    CHECK(report.planted[0].length == 899);
  }
  SECTION("nearly identical copies") {
    options.n_runs = 0;
    options.length = 12000;
    options.copies = 3;
    options.divergence = 0.0005;
    auto const report = check();
    CHECK(report.planted[0].type == planted_repeat::near_identical_copy);
    CHECK(report.residues == 36000);
  }
  SECTION("identical copies") {
    options.n_runs = 0;
    options.copies = 2;
    options.divergence = 0;
    genome_report report;
    auto const records = records_of(genome_text(options, report));
    std::size_t longest = 0;
    for (auto const& record : records) longest = std::max(longest, record.size());
    CHECK(report.planted[0].length == longest);
  }
}

TEST_CASE("a genome that cannot be is refused", "[generate]") {
  auto const refused = [](auto change) {
    genome_options options;
    options.length = 10000;
    change(options);
    genome_report report;
    CHECK_THROWS_AS(genome_text(options, report), ordo::usage_error);
  };
  refused([](auto& o) { o.length = 0; });
  refused([](auto& o) { o.records = 0; });
  refused([](auto& o) { o.records = 5000; });
  refused([](auto& o) { o.duplication_length = 6000; });
  refused([](auto& o) { o.n_run_length = 10000; });
  refused([](auto& o) { o.copies = 0; });
  refused([](auto& o) { o.divergence = 2; });
  refused([](auto& o) { o.width = 0; });
}

TEST_CASE("texts: uniform, one letter, Fibonacci", "[generate]") {
  auto const uniform = uniform_text(40000, "ACGT", 1);
  for (char const c : std::string_view("ACGT")) CHECK(std::abs(std::count(uniform.begin(), uniform.end(), c) - 10000) < 400);
  CHECK(homopolymer_text(5, 'G') == "GGGGG");
  CHECK(fibonacci_text(13, "ab") == "abaababaabaab");
  for (std::size_t n : {0, 1, 2, 3, 100}) {
    CHECK(fibonacci_text(n, "ab").size() == n);
    CHECK(fibonacci_text(1000, "ab").starts_with(fibonacci_text(n, "ab")));
  }
  CHECK_THROWS_AS(fibonacci_text(10, "abc"), ordo::usage_error);
  CHECK_THROWS_AS(uniform_text(10, "", 1), ordo::usage_error);
}

TEST_CASE("shuffled lines are the same lines", "[generate]") {
  std::string text;
  for (int i = 0; i != 1000; ++i) text += std::to_string(i) + '\n';
  auto const once = shuffled(text, 1);
  CHECK(once != text);
  CHECK(once == shuffled(text, 1));
  CHECK(once != shuffled(text, 2));
  CHECK(once == shuffled(std::string_view(text).substr(0, text.size() - 1), 1));
  auto before = lines_of(text), after = lines_of(once);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  CHECK(before == after);
  CHECK(shuffled("", 1).empty());
  CHECK(lines_of(shuffled("\n\na", 1)).size() == 3);
}

TEST_CASE("spectra are in the order asked for, and the same peaks in any", "[generate]") {
  for (auto const preset : spectra_presets()) {
    INFO(preset);
    spectra_options options{preset == "profile" ? 5u : 50u, preset, "mz", 11};
    auto const sorted_text = spectra_text(options);
    auto const spectra = peaks_of(sorted_text);
    REQUIRE(spectra.size() == options.count);
    std::size_t ties = 0;
    for (auto const& peaks : spectra) {
      CHECK_FALSE(peaks.empty());
      CHECK(std::is_sorted(peaks.begin(), peaks.end(), [](auto a, auto b) { return a.mz < b.mz; }));
      for (std::size_t i = 1; i != peaks.size(); ++i) ties += peaks[i].mz == peaks[i - 1].mz;
    }
    if (preset == "proteomics" || preset == "iontrap") CHECK(ties > 0);
    auto sorted_lines = lines_of(sorted_text);
    std::sort(sorted_lines.begin(), sorted_lines.end());
    for (auto const order : spectra_orders()) {
      INFO(order);
      options.order = order;
      auto const text = spectra_text(options);
      CHECK((text == sorted_text) == (order == "mz"));
      auto lines = lines_of(text);
      std::sort(lines.begin(), lines.end());
      CHECK(lines == sorted_lines);
      if (order == "intensity")
        for (auto const& peaks : peaks_of(text))
          CHECK(std::is_sorted(peaks.begin(), peaks.end(), [](auto a, auto b) { return a.intensity > b.intensity; }));
    }
  }
  CHECK_THROWS_WITH(spectra_text({1, "orbitrap", "mz", 1}),
                    "unknown preset: --preset: 'orbitrap': choose from proteomics, iontrap, gnps, timstof, profile, peptides");
  CHECK_THROWS_WITH(spectra_text({1, "gnps", "size", 1}),
                    "unknown order: --order: 'size': choose from mz, intensity, random, reversed, nearly");
}

TEST_CASE("spectra have the shape of their preset", "[generate]") {
  auto const median = [](std::string_view preset, std::size_t count) {
    auto const spectra = peaks_of(spectra_text({count, preset, "mz", 5}));
    std::vector<std::size_t> sizes;
    for (auto const& peaks : spectra) sizes.push_back(peaks.size());
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count / 2), sizes.end());
    return static_cast<double>(sizes[count / 2]);
  };
  CHECK(std::abs(median("proteomics", 500) / 170 - 1) < 0.1);
  CHECK(std::abs(median("iontrap", 200) / 690 - 1) < 0.1);
  CHECK(std::abs(median("gnps", 500) / 40 - 1) < 0.15);
  auto const profile = peaks_of(spectra_text({4, "profile", "mz", 5}));
  std::size_t points = 0, zeros = 0;
  for (auto const& peaks : profile) {
    CHECK(peaks.size() >= 1000);
    CHECK(peaks.size() <= 100000);
    points += peaks.size();
    for (auto const& p : peaks) zeros += p.intensity == 0;
  }
  CHECK(std::abs(static_cast<double>(zeros) / static_cast<double>(points) - 0.8) < 0.05);
}

TEST_CASE("the string sets have the sizes and common prefixes of the paper's", "[generate]") {
  // Bytes a line in table I (MiB over lines, newline included), and the mean common prefix of sorted neighbours where that
  // does not depend on the number of lines.
  struct facts {
    double line, prefix;
  };
  std::map<std::string_view, facts> const paper{{"artificial-2", {102.8, 101}},
                                                {"artificial-4", {17, 0}},
                                                {"artificial-5", {52.4, 50.5}},
                                                {"dictcalls", {23, 0}},
                                                {"random", {101.7, 0}},
                                                {"words", {12.4, 0}},
                                                {"url", {32, 29}},
                                                {"genome", {10, 0}},
                                                {"sentences", {72.2, 0}},
                                                {"filelist", {68.8, 59}}};
  for (auto const& set : string_sets()) {
    INFO(set.name);
    double const scale = 20000.0 / static_cast<double>(set.lines);
    auto const text = strings_text(set.name, scale);
    bool const random = set.name != "artificial-2" && set.name != "artificial-5";
    CHECK((text != strings_text(set.name, scale, 2)) == random);
    auto lines = lines_of(text);
    REQUIRE(lines.size() == 20000);
    auto const [bytes, prefix] = paper.at(set.name);
    CHECK(std::abs(static_cast<double>(text.size()) / 20000 / bytes - 1) < 0.1);
    if (prefix > 0) {
      std::sort(lines.begin(), lines.end());
      std::size_t sum = 0;
      for (std::size_t i = 1; i != lines.size(); ++i) sum += common(lines[i - 1], lines[i]);
      CHECK(std::abs(static_cast<double>(sum) / 20000 / prefix - 1) < 0.1);
    }
  }
  for (auto const set : {"words", "filelist"}) {
    auto const text = strings_text(set, 0.002);
    auto const lines = lines_of(text);
    CHECK(std::set(lines.begin(), lines.end()).size() == 20000);
  }
  CHECK(strings_text("words", 0).empty());
  CHECK_THROWS_WITH(strings_text("word", 1), Catch::Matchers::StartsWith("unknown set: --set: 'word': choose from "));
  CHECK_THROWS_AS(strings_text("words", -1), ordo::usage_error);
}

TEST_CASE("fingerprints tell what is new", "[generate]") {
  fingerprints known(100);
  for (int i = 0; i != 100; ++i) CHECK(known.insert(std::to_string(i)));
  for (int i = 0; i != 100; ++i) CHECK_FALSE(known.insert(std::to_string(i)));
}
