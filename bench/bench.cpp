#include "bench/bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/row_lines.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"

namespace ordo::inline v0::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 15> type_names{"u32",     "u32/u32", "u32/u64", "u64",     "u64/u32",
                                                      "u64/u64", "f32",     "f32/u32", "f32/u64", "f64",
                                                      "f64/u32", "u8",      "u16",     "pair",    "record"};
constexpr std::array<std::string_view, 17> pattern_names{
    "uniform",   "equal",     "few",       "sorted",    "reversed", "gaussian",      "zipf",      "20-bit",    "low half",
    "entropy 2", "entropy 3", "entropy 4", "entropy 5", "product",  "bucket sorted", "staggered", "duplicates"};
constexpr std::array<std::string_view, 7> program_names{
    "segmented_sort", "array_sort", "radix_sort", "comparator_sort", "small_sorts", "tune_segments", "segment_kernels"};
constexpr std::array<std::string_view, 7> program_texts{
    "The GPU's segmented sort beside CUB's.", "The GPU's in-place sort of many arrays beside CUB and STA.",
    "The GPU's radix sort beside CUB's and Thrust's.", "The GPU's sort by a comparator beside CUB's merge sort.",
    "The GPU's sorts of few items beside CUB's, also in a CUDA graph.",
    "Finds the fastest kernel for each length of segments: a table for sort_core/cuda/tuning.",
    "The kernels of the GPU's segmented sort, one by one."};

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

double best_rival(measured const& r) {
  double best = 0;
  for (auto const& [name, rival] : r.rivals)
    if (rival.right && (best == 0 || rival.time.ms < best)) best = rival.time.ms;
  return best;
}

std::string cell(timing const& t, bool right = true) {
  if (t.runs == 0) return "-";
  return fmt::format("{:.{}f}{}{}", t.ms, t.ms < 0.1 ? 4 : t.ms < 100 ? 3 : 1, t.runs == 1 ? "*" : "", right ? "" : "!");
}

json to_json(timing const& t) {
  json x{{"ms", rounded(t.ms)}, {"runs", t.runs}, {"min_ms", rounded(t.min_ms)}, {"max_ms", rounded(t.max_ms)}};
  if (t.wait_ms != 0) x["wait_ms"] = rounded(t.wait_ms);
  return x;
}

json rivals_json(measured const& r) {
  json rivals = json::object();
  for (auto const& [name, rival] : r.rivals) {
    rivals[name] = to_json(rival.time);
    rivals[name]["right"] = rival.right;
  }
  return rivals;
}

json to_json(row_result const& r) {
  json x{
      {"name", r.name}, {"items", r.items}, {"segments", r.segments}, {"longest", r.longest}, {"offsets", to_json(r.offsets)}};
  if (r.uniform.runs != 0) x["uniform"] = to_json(r.uniform);
  x["headline_ms"] = rounded(r.headline());
  x["copy"] = to_json(r.copy);
  x["rivals"] = rivals_json(r);
  if (double const best = best_rival(r); best != 0) x["best_rival_to_ours"] = rounded(best / r.headline());
  if (r.target_ms != 0) x["target_ms"] = r.target_ms;
  x["extra_bytes"] = r.extra_bytes;
  x["allowed_bytes"] = r.allowed_bytes;
  x["wrong"] = r.wrong;
  return x;
}

json to_json(whole_result const& r) {
  json x{{"name", r.name},
         {"types", type_names[std::size_t(r.row.type)]},
         {"input", pattern_names[std::size_t(r.row.order)]},
         {"items", r.items},
         {"ours", to_json(r.ours)},
         {"copy", to_json(r.copy)},
         {"rivals", rivals_json(r)}};
  if (r.other_form.runs != 0) {
    x["form"] = r.is_out_of_place ? "out of place" : "in place";
    x["other_form"] = to_json(r.other_form);
  }
  if (double const best = best_rival(r); best != 0) x["best_rival_to_ours"] = rounded(best / r.ours.ms);
  if (r.target_times != 0) x["target_times_cub"] = r.target_times;
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
  return {{"what", s.types}, {"items", s.items}, {"from", s.from}, {"rates", rates}, {"worst", worst}, {"wrong", s.wrong}};
}

json to_json(capacity_result const& c) {
  return {{"floats", c.floats},
          {"arrays", c.arrays},
          {"length", c.length},
          {"ms", rounded(c.ms)},
          {"free_bytes_before", c.free_before},
          {"free_bytes_least", c.min_free},
          {"pool_peak_bytes", c.pool_peak},
          {"allowed_bytes", c.allowed_bytes},
          {"wrong_arrays", c.wrong_arrays}};
}

template <class T>
json results_json(std::vector<T> const& results) {
  json list = json::array();
  for (T const& result : results) list.push_back(to_json(result));
  return list;
}

}  // namespace

bool bench_options::selects(std::string const& row) const {
  return std::regex_search(row, std::regex(rows));
}

std::string_view program_name(program benchmark) {
  return program_names[std::size_t(benchmark)];
}

std::optional<int> parse(program benchmark, int argc, char const* const* argv, bench_options& options) {
  cli::command_table table{.name = std::string(program_name(benchmark)),
                           .summary = "measure",
                           .usage = {"[OPTION]..."},
                           .description = std::string(program_texts[std::size_t(benchmark)])};
  auto const add = [&](cli::option row) { table.options.push_back(std::move(row)); };
  bool no_rivals = false;
  add(cli::value_row("rows", "REGEX", "measure rows whose names match REGEX", cli::parse_to(options.rows), "all"));
  add(cli::value_row("runs", "N", "take the median of N runs, after 2 to warm up", cli::parse_to(options.runs, 1, 1000), "5"));
  add(cli::flag_row("quick", "measure at most 2^24 items, as a smoke test", options.quick));
  if (benchmark == program::tune_segments)
    add(cli::value_row("longest", "N", "let a block sort segments of up to N items",
                       cli::parse_to(options.longest, 64, 1 << 14), "as in the present table"));
  else if (benchmark != program::small_sorts && benchmark != program::segment_kernels)
    add(cli::flag_row("no-rivals", "measure only Ordo", no_rivals));
  add(cli::value_row("json", "FILE", "write the figures to FILE", options.json));
  if (benchmark == program::radix_sort || benchmark == program::comparator_sort)
    add(cli::value_row(
        "sizes", "N[,N...]", "sort 2^N items",
        [&options](std::string_view spelling, std::string_view value) {
          cli::parse_value(spelling, value, options.sizes);
          for (unsigned const size : options.sizes)
            if (size < 1 || size > 31) throw usage_error(fmt::format("invalid number: {}: '{}': 1 to 31", spelling, value));
        },
        "16,20,24,28"));
  else if (benchmark == program::segmented_sort || benchmark == program::array_sort)
    add(cli::flag_row("bound", "pass the length of the longest segment to the sort", options.bounded));
  if (benchmark == program::comparator_sort)
    add(cli::flag_row("radix", "measure keys of 64 bits beside CUB's radix sort instead of the rows", options.beside_radix));
  if (benchmark == program::segmented_sort) {
    add(cli::flag_row("sweep", "measure every length of a range instead of the rows", options.sweep));
    add(cli::flag_row("pairs", "with --sweep, measure u32/u32 only", options.pairs));
    add(cli::flag_row("keys", "with --sweep, measure u32 only", options.keys));
    add(cli::value_row("from", "N", "with --sweep, begin with length N", cli::parse_to(options.from, 1, 1 << 24), "1"));
    add(cli::value_row("to", "N", "with --sweep, end with length N", cli::parse_to(options.to, 1, 1 << 24), "16384"));
  } else if (benchmark == program::array_sort) {
    add(cli::flag_row("sweep", "measure 25,000 to 200,000 arrays of floats instead of the rows", options.sweep));
    add(cli::flag_row("lengths", "measure 50,000 arrays of 200 to 4000 floats instead of the rows", options.by_length));
    add(cli::value_row("capacity", "G",
                       "instead of the rows, sort G * 10^9 floats in arrays of 1000, 2000, 3000 and 4000, and verify them",
                       options.capacity));
  }
  add(cli::help_row());
  if (auto const status = cli::parse(table, argc, argv).status) return status;
  options.rivals = !no_rivals;
  if (options.quick) std::erase_if(options.sizes, [](unsigned log_items) { return log_items > 24; });
  if (!options.pairs && !options.keys) options.pairs = options.keys = true;
  if (options.from > options.to)
    throw usage_error(fmt::format("empty range of lengths: --from {} --to {}", options.from, options.to));
  try {
    static_cast<void>(options.selects({}));
  } catch (std::regex_error const& e) {
    throw usage_error(fmt::format("invalid regular expression: --rows '{}': {}", options.rows, e.what()));
  }
  return {};
}

std::string segment_row::name() const {
  return fmt::format("{} {}{}{}{}{}", type_names[std::size_t(type)], std::visit(description{}, segments),
                     counted ? fmt::format(" x {}", arrays) : "",
                     order == pattern::random ? "" : fmt::format(" {}", pattern_names[std::size_t(order)]),
                     computed ? " computed" : "", heads ? " heads" : "");
}

std::string whole_row::name() const {
  return fmt::format("{} {}{}{}", type_names[std::size_t(type)], pattern_names[std::size_t(order)], bits_given ? " told" : "",
                     argsort ? " argsort" : "");
}

report::report(program benchmark, bench_options const& options, facts const& machine, std::vector<std::string> rivals)
    : program_(benchmark), options_(options), machine_(machine), rivals_(std::move(rivals)) {
  for (auto const& [name, value] : machine_) fmt::print("{}: {}\n", name, value);
}

void report::print_heading() {
  if (std::exchange(heading_, true)) return;
  fmt::print("\nmilliseconds, medians; *: one run only; !: wrong result, ignored\n{:<32} {:>9} {:>9} {:>9} {:>8} {:>8} {:>6}",
             "row", "segments", "offsets", "uniform", "Gitem/s", "copy", "/copy");
  for (auto const& name : rivals_) fmt::print(" {:>10}", name);
  fmt::print(" {:>9} {:>7} {:>9}\n", "best/ours", "target", "extra MB");
}

void report::add(row_result const& r) {
  print_heading();
  double const ms = r.headline();
  fmt::print("{:<32} {:>9} {:>9} {:>9} {:>8.1f} {:>8} {:>6.2f}", r.name, r.segments, cell(r.offsets), cell(r.uniform),
             double(r.items) / ms / 1e6, cell(r.copy), ms / r.copy.ms);
  print_rivals(r);
  double const best = best_rival(r);
  std::string const target = r.target_ms == 0 ? "" : fmt::format("{:g}{}", r.target_ms, ms <= r.target_ms ? "" : " >");
  fmt::print(" {:>9} {:>7} {:>9.1f}\n", best == 0 ? "" : fmt::format("{:.2f}", best / ms), target, double(r.extra_bytes) / 1e6);
  print_fault(r);
  rows_.push_back(r);
  save();
}

void report::print_rivals(measured const& r) const {
  for (auto const& name : rivals_) {
    auto const it = r.rivals.find(name);
    fmt::print(" {:>10}", it == r.rivals.end() ? "-" : cell(it->second.time, it->second.right));
  }
}

void report::print_fault(measured const& r) {
  if (!r.wrong.empty()) {
    failed_ = true;
    fmt::print("WRONG: {}: {}\n", r.name, r.wrong);
  }
  std::fflush(stdout);
}

void report::print_whole_heading() {
  if (std::exchange(heading_, true)) return;
  fmt::print(
      "\nmilliseconds, medians; *: one run only; !: wrong result, ignored; waits: time that the caller waits\n"
      "{:<32} {:>9} {:>9} {:>9} {:>9} {:>6}",
      "row", "ours", "waits", "Mitem/s", "copy", "/copy");
  for (auto const& name : rivals_) fmt::print(" {:>10}", name);
  fmt::print(" {:>9} {:>9} {:>7} {:>9}\n", "CUB waits", "best/ours", "target", "extra MB");
}

void report::add(whole_result const& r) {
  print_whole_heading();
  auto const time = [](double ms) { return ms == 0 ? "-" : fmt::format("{:.{}f}", ms, ms < 0.1 ? 4 : ms < 100 ? 3 : 1); };
  fmt::print("{:<32} {:>9} {:>9} {:>9.0f} {:>9} {:>6.2f}", r.name, time(r.ours.ms), time(r.ours.wait_ms),
             double(r.items) / r.ours.ms / 1e3, time(r.copy.ms), r.ours.ms / r.copy.ms);
  print_rivals(r);
  auto const cub = r.rivals.find("CUB");
  bool const has_cub = cub != r.rivals.end() && cub->second.time.runs != 0;
  double const best = best_rival(r);
  std::string target;
  if (r.target_times != 0)
    target = fmt::format("{:g}{}", r.target_times, has_cub && cub->second.time.ms < r.target_times * r.ours.ms ? " >" : "");
  fmt::print(" {:>9} {:>9} {:>7} {:>9.1f}\n", has_cub ? time(cub->second.time.wait_ms) : "-",
             best == 0 ? "" : fmt::format("{:.2f}", best / r.ours.ms), target, double(r.extra_bytes) / 1e6);
  print_fault(r);
  wholes_.push_back(r);
  save();
}

void report::print_rates() const {
  std::vector<types> all_types;
  std::vector<unsigned> sizes;
  std::vector<std::string> series;
  auto const note = [](auto& list, auto const& x) {
    if (std::find(list.begin(), list.end(), x) == list.end()) list.push_back(x);
  };
  for (whole_result const& r : wholes_) {
    note(all_types, r.row.type);
    note(sizes, r.log_items);
    note(series, r.row.name());
  }
  std::sort(sizes.begin(), sizes.end());
  // Returns 0 where a contender was not measured, or was wrong.
  auto const rate = [&](std::string const& name, unsigned log_items, std::string const& contender) {
    for (whole_result const& r : wholes_) {
      if (r.row.name() != name || r.log_items != log_items) continue;
      if (contender.empty()) return r.wrong.empty() ? double(r.items) / r.ours.ms / 1e3 : 0;
      auto const it = r.rivals.find(contender);
      if (it != r.rivals.end() && it->second.right) return double(r.items) / it->second.time.ms / 1e3;
    }
    return 0.0;
  };
  for (types const types_of_rows : all_types) {
    auto const type = type_names[std::size_t(types_of_rows)];
    auto const uniform = whole_row{types_of_rows}.name();
    fmt::print("\n{}: 10^6 items a second\n{:<24} {:<10}", type, "input", "sort");
    for (unsigned const log_items : sizes) fmt::print(" {:>8}", fmt::format("2^{}", log_items));
    fmt::print(" {:>11}\n", "of uniform");  // at the largest size
    for (std::string const& name : series) {
      if (!name.starts_with(fmt::format("{} ", type))) continue;
      std::vector<std::string> contenders{""};
      contenders.insert(contenders.end(), rivals_.begin(), rivals_.end());
      for (std::string const& contender : contenders) {
        std::string line;
        double last = 0, of_uniform = 0;
        for (unsigned const log_items : sizes) {
          last = rate(name, log_items, contender);
          of_uniform = rate(uniform, log_items, contender);
          line += last == 0 ? fmt::format(" {:>8}", "-") : fmt::format(" {:>8.0f}", last);
        }
        if (line.find_first_not_of(" -") == std::string::npos) continue;
        fmt::print("{:<24} {:<10}{} {:>11}\n", contender.empty() ? name.substr(type.size() + 1) : "",
                   contender.empty() ? "Ordo" : contender, line,
                   last == 0 || of_uniform == 0 ? "" : fmt::format("{:.2f}", last / of_uniform));
      }
    }
  }
  std::fflush(stdout);
}

void report::add(sweep_result const& s) {
  auto const [min, max] = std::minmax_element(s.rates.begin(), s.rates.end());
  fmt::print(
      "\n{}: lengths {} to {}, about {} items each: {:.2f} to {:.2f} Gitem/s\nthe largest drops from one length to the next:\n",
      s.types, s.from, s.from + s.rates.size() - 1, s.items, *min, *max);
  for (drop const& d : s.worst)
    fmt::print("{:>6} {:>8.2f} -> {:>6} {:>8.2f} Gitem/s: {:.2f} times{}\n", d.length, d.rate, d.length + 1, d.next_rate,
               d.times(), d.times() > 1.5 ? "  CLIFF" : "");
  for (std::size_t const length : s.wrong) fmt::print("WRONG: {}: segments of {}\n", s.types, length);
  failed_ = failed_ || !s.wrong.empty();
  std::fflush(stdout);
  sweeps_.push_back(s);
  save();
}

void report::add(capacity_result const& c) {
  fmt::print("\n{} floats ({:.1f} GB) in {} arrays of {}: {:.1f} ms, {:.1f} Gitem/s, {:.0f} GB/s read and written\n", c.floats,
             double(c.floats) * 4e-9, c.arrays, c.length, c.ms, double(c.floats) / c.ms / 1e6,
             double(c.floats) * 8 / c.ms / 1e6);
  fmt::print("extra memory: {:.3f} MB from the pool (allowed {:.3f}); free on the device {:.3f} MB before, {:.3f} minimum\n",
             double(c.pool_peak) / 1e6, double(c.allowed_bytes) / 1e6, double(c.free_before) / 1e6, double(c.min_free) / 1e6);
  bool const exceeds = c.pool_peak > c.allowed_bytes;
  if (c.wrong_arrays != 0) fmt::print("WRONG: {} arrays are out of order, or have lost items\n", c.wrong_arrays);
  if (exceeds) fmt::print("WRONG: more memory than the contract allows\n");
  if (c.wrong_arrays == 0) fmt::print("every array is in order and has its items\n");
  failed_ = failed_ || exceeds || c.wrong_arrays != 0;
  std::fflush(stdout);
  capacities_.push_back(c);
  save();
}

void report::say(std::string_view line) const {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void report::save() const {
  if (options_.json.empty()) return;
  json all{{"benchmark", program_name(program_)}, {"ordo", version}};
  for (auto const& [name, value] : machine_) all["machine"][name] = value;
  all["quick"] = options_.quick;
  all["bounded"] = options_.bounded;
  all["runs"] = options_.runs;
  all["rows"] = wholes_.empty() ? results_json(rows_) : results_json(wholes_);
  all["sweeps"] = results_json(sweeps_);
  all["capacity"] = results_json(capacities_);
  std::ofstream file(options_.json);
  file << row_lines(all) << std::flush;
  if (!file) throw output_error(fmt::format("cannot write: {}", options_.json));
}

}  // namespace ordo::inline v0::bench
