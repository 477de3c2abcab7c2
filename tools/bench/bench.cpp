#include "tools/bench/bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "sort_core/config.hpp"
#include "sort_core/error.hpp"
#include "tools/cli/options.hpp"

namespace ordo::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 10> type_names{"u32", "u32/u32", "u32/u64", "u64", "u64/u32",
                                                      "f32", "f32/u32", "f32/u64", "f64", "f64/u32"};
constexpr std::array<std::string_view, 5> pattern_names{"", " equal", " few", " sorted", " reversed"};

struct description {
  std::string operator()(fixed_lengths const& x) const {
    if (x.length == 0) return "giant";
    return fmt::format("{}{}", x.length, x.holes ? " holes" : "");
  }
  std::string operator()(zipf_lengths const& x) const { return fmt::format("zipf {} max {}", x.exponent, x.longest); }
  std::string operator()(log_normal_lengths const& x) const { return fmt::format("log-normal {} sigma {}", x.median, x.sigma); }
};

double rounded(double x, double digits = 1e4) {
  return std::round(x * digits) / digits;
}

double best_rival(row_result const& r) {
  double best = 0;
  for (auto const& [name, rival] : r.rivals)
    if (rival.right && (best == 0 || rival.time.ms < best)) best = rival.time.ms;
  return best;
}

std::string cell(timing const& t, bool right = true) {
  if (t.runs == 0) return "-";
  return fmt::format("{:.{}f}{}{}", t.ms, t.ms < 100 ? 3 : 1, t.runs == 1 ? "*" : "", right ? "" : "!");
}

json to_json(timing const& t) {
  return {{"ms", rounded(t.ms)}, {"runs", t.runs}};
}

json to_json(row_result const& r) {
  json rivals = json::object();
  for (auto const& [name, rival] : r.rivals) {
    rivals[name] = to_json(rival.time);
    rivals[name]["right"] = rival.right;
  }
  json x{
      {"name", r.name}, {"items", r.items}, {"segments", r.segments}, {"longest", r.longest}, {"offsets", to_json(r.offsets)}};
  if (r.uniform.runs != 0) x["uniform"] = to_json(r.uniform);
  x["headline_ms"] = rounded(r.headline());
  x["copy"] = to_json(r.copy);
  x["rivals"] = rivals;
  if (double const best = best_rival(r); best != 0) x["best_rival_to_ours"] = rounded(best / r.headline());
  if (r.target_ms != 0) x["target_ms"] = r.target_ms;
  x["extra_bytes"] = r.extra_bytes;
  x["allowed_bytes"] = r.allowed_bytes;
  x["wrong"] = r.wrong;
  return x;
}

json to_json(sweep_result const& s) {
  json rates = json::array(), worst = json::array();
  for (double const rate : s.rates) rates.push_back(rounded(rate, 100));
  for (drop const& d : s.worst)
    worst.push_back({{"length", d.length},
                     {"rate", rounded(d.rate, 100)},
                     {"next_rate", rounded(d.next_rate, 100)},
                     {"times", rounded(d.times(), 1000)}});
  return {{"what", s.what}, {"items", s.items}, {"from", s.from}, {"rates", rates}, {"worst", worst}, {"wrong", s.wrong}};
}

json to_json(capacity_result const& c) {
  return {{"floats", c.floats},
          {"arrays", c.arrays},
          {"length", c.length},
          {"ms", rounded(c.ms)},
          {"free_bytes_before", c.free_before},
          {"free_bytes_least", c.free_least},
          {"pool_peak_bytes", c.pool_peak},
          {"allowed_bytes", c.allowed_bytes},
          {"wrong_arrays", c.wrong_arrays}};
}

template <class T>
json all_of(std::vector<T> const& results) {
  json list = json::array();
  for (T const& result : results) list.push_back(to_json(result));
  return list;
}

}  // namespace

bool options::chosen(std::string const& row) const {
  return std::regex_search(row, std::regex(rows));
}

std::string_view name_of(program which) {
  return which == program::segmented_sort ? "segmented_sort" : "array_sort";
}

std::optional<int> parse(program which, int argc, char const* const* argv, options& to) {
  bool const segmented = which == program::segmented_sort;
  CLI::App app(
      segmented ? "The GPU's segmented sort beside CUB's." : "The GPU's in-place sort of many arrays beside CUB and STA.",
      std::string(name_of(which)));
  bool no_rivals = false;
  app.add_option("--rows", to.rows, "rows whose names match this regular expression [all]")->type_name("REGEX");
  app.add_option("--runs", to.runs, "of which the median counts, after 2 warm-ups [5]")->check(CLI::Range(1, 1000));
  app.add_flag("--quick", to.quick, "2^24 items only: a smoke test");
  app.add_flag("--no-rivals", no_rivals, "measure Ordo only");
  app.add_flag("--bound", to.bounded, "tell the sort how long the longest segment is");
  app.add_option("--json", to.json, "write all figures there")->type_name("FILE");
  if (segmented) {
    auto* const sweep = app.add_flag("--sweep", to.sweep, "every length of a range, instead of the rows: look for cliffs");
    app.add_flag("--pairs", to.pairs, "sweep u32/u32 [both]")->needs(sweep);
    app.add_flag("--keys", to.keys, "sweep u32 [both]")->needs(sweep);
    app.add_option("--from", to.from, "first length of the sweep [1]")->needs(sweep)->check(CLI::Range(1u, 1u << 24));
    app.add_option("--to", to.to, "last length of the sweep [16384]")->needs(sweep)->check(CLI::Range(1u, 1u << 24));
  } else {
    app.add_option("--capacity", to.capacity,
                   "instead of the rows: sort so many 10^9 floats in arrays of 1000, and verify them")
        ->type_name("G")
        ->check(CLI::PositiveNumber);
  }
  if (auto const status = cli::parse(app, argc, argv)) return status;
  to.rivals = !no_rivals;
  if (!to.pairs && !to.keys) to.pairs = to.keys = true;
  if (to.from > to.to) throw usage_error(fmt::format("empty range of lengths: --from {} --to {}", to.from, to.to));
  try {
    static_cast<void>(to.chosen({}));
  } catch (std::regex_error const& e) {
    throw usage_error(fmt::format("invalid regular expression: --rows '{}': {}", to.rows, e.what()));
  }
  return {};
}

std::string row::name() const {
  return fmt::format("{} {}{}{}{}", type_names[std::size_t(of)], std::visit(description{}, segments),
                     pattern_names[std::size_t(order)], computed ? " computed" : "", heads ? " heads" : "");
}

report::report(program which, options const& how, facts const& where, std::vector<std::string> rivals)
    : which_(which), how_(how), where_(where), rivals_(std::move(rivals)) {
  for (auto const& [name, value] : where_) fmt::print("{}: {}\n", name, value);
}

void report::print_heading() {
  if (std::exchange(heading_, true)) return;
  fmt::print(
      "\nmilliseconds, medians; *: one run only; !: wrong result, does not count\n{:<32} {:>9} {:>9} {:>9} {:>8} {:>8} {:>6}",
      "row", "segments", "offsets", "uniform", "Gitem/s", "copy", "/copy");
  for (auto const& name : rivals_) fmt::print(" {:>10}", name);
  fmt::print(" {:>9} {:>7} {:>9}\n", "best/ours", "target", "extra MB");
}

void report::add(row_result const& r) {
  print_heading();
  double const ms = r.headline();
  fmt::print("{:<32} {:>9} {:>9} {:>9} {:>8.1f} {:>8} {:>6.2f}", r.name, r.segments, cell(r.offsets), cell(r.uniform),
             double(r.items) / ms / 1e6, cell(r.copy), ms / r.copy.ms);
  for (auto const& name : rivals_) {
    auto const found = r.rivals.find(name);
    fmt::print(" {:>10}", found == r.rivals.end() ? "-" : cell(found->second.time, found->second.right));
  }
  double const best = best_rival(r);
  std::string const target = r.target_ms == 0 ? "" : fmt::format("{:g}{}", r.target_ms, ms <= r.target_ms ? "" : " >");
  fmt::print(" {:>9} {:>7} {:>9.1f}\n", best == 0 ? "" : fmt::format("{:.2f}", best / ms), target, double(r.extra_bytes) / 1e6);
  if (!r.wrong.empty()) {
    failed_ = true;
    fmt::print("WRONG: {}: {}\n", r.name, r.wrong);
  }
  std::fflush(stdout);
  rows_.push_back(r);
  save();
}

void report::add(sweep_result const& s) {
  auto const [least, most] = std::minmax_element(s.rates.begin(), s.rates.end());
  fmt::print(
      "\n{}: lengths {} to {}, about {} items each: {:.2f} to {:.2f} Gitem/s\nthe worst drops from one length to the next:\n",
      s.what, s.from, s.from + s.rates.size() - 1, s.items, *least, *most);
  for (drop const& d : s.worst)
    fmt::print("{:>6} {:>8.2f} -> {:>6} {:>8.2f} Gitem/s: {:.2f} times{}\n", d.length, d.rate, d.length + 1, d.next_rate,
               d.times(), d.times() > 1.5 ? "  CLIFF" : "");
  for (std::size_t const length : s.wrong) fmt::print("WRONG: {}: segments of {}\n", s.what, length);
  failed_ = failed_ || !s.wrong.empty();
  std::fflush(stdout);
  sweeps_.push_back(s);
  save();
}

void report::add(capacity_result const& c) {
  fmt::print("\n{} floats ({:.1f} GB) in {} arrays of {}: {:.1f} ms, {:.1f} Gitem/s, {:.0f} GB/s read and written\n", c.floats,
             double(c.floats) * 4e-9, c.arrays, c.length, c.ms, double(c.floats) / c.ms / 1e6,
             double(c.floats) * 8 / c.ms / 1e6);
  fmt::print("extra memory: {:.3f} MB from the pool (allowed {:.3f}); free on the device {:.3f} MB before, {:.3f} at least\n",
             double(c.pool_peak) / 1e6, double(c.allowed_bytes) / 1e6, double(c.free_before) / 1e6, double(c.free_least) / 1e6);
  bool const greedy = c.pool_peak > c.allowed_bytes;
  if (c.wrong_arrays != 0) fmt::print("WRONG: {} arrays are out of order, or not what they were\n", c.wrong_arrays);
  if (greedy) fmt::print("WRONG: MORE MEMORY THAN THE CONTRACT SAYS\n");
  if (c.wrong_arrays == 0) fmt::print("every array is in order and holds what it held\n");
  failed_ = failed_ || greedy || c.wrong_arrays != 0;
  std::fflush(stdout);
  capacities_.push_back(c);
  save();
}

void report::say(std::string_view line) const {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void report::save() const {
  if (how_.json.empty()) return;
  json all{{"benchmark", name_of(which_)}, {"ordo", version}};
  for (auto const& [name, value] : where_) all["machine"][name] = value;
  all["quick"] = how_.quick;
  all["bounded"] = how_.bounded;
  all["runs"] = how_.runs;
  all["rows"] = all_of(rows_);
  all["sweeps"] = all_of(sweeps_);
  all["capacity"] = all_of(capacities_);
  std::ofstream file(how_.json);
  file << all.dump() << '\n' << std::flush;
  if (!file) throw output_error(fmt::format("cannot write: {}", how_.json));
}

}  // namespace ordo::bench
