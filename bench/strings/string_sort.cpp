// Measures strings::sort of the ten sets of Deshpande and Narayanan (HiPC'13, table I) or of files, from text in memory of the
// host to the order there, with one machine for all sorts; and tlx's parallel string sample sort, if its package was found.
// Medians, in one process; generating, reading and checking are not timed.
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/host_bench.hpp"
#include "bench/strings/string_rival.hpp"
#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "ordo/strings.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/generate/strings.hpp"

using namespace ordo;

namespace {

struct settings {
  std::vector<std::string> sets, files;
  double scale = 1;
  std::size_t runs = 5;
  std::string json;
  cli::common_options common;
};

std::string generated(std::string const& set, double scale) {
  std::string text;
  generate::sink to([&](std::span<char const> block) { text.append(block.data(), block.size()); });
  generate::write_strings({.set = set, .scale = scale}, to);
  to.flush();
  return text;
}

template <class Work>
double median_ms(std::size_t runs, Work work) {
  std::vector<double> times;
  for (std::size_t k = 0; k < runs + 2; ++k) {
    double const ms = work();
    if (k >= 2) times.push_back(ms);
  }
  return bench::median(times);
}

/// The lines of a text as NUL-terminated strings.
class c_strings {
 public:
  explicit c_strings(std::string text) : text_(std::move(text)) {
    for (char *at = text_.data(), *const end = at + text_.size(); at < end;) {
      begins_.push_back(reinterpret_cast<unsigned char const*>(at));
      auto* const next = static_cast<char*>(std::memchr(at, '\n', std::size_t(end - at)));
      if (!next) break;
      *next = 0;
      at = next + 1;
    }
  }
  [[nodiscard]] std::vector<unsigned char const*> const& begins() const { return begins_; }

 private:
  std::string text_;
  std::vector<unsigned char const*> begins_;
};

/// Returns true if both orders give the same lines.
bool is_same(strings::sorted_lines const& lines, std::vector<unsigned char const*> const& sorted) {
  if (lines.size() != sorted.size()) return false;
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (lines[k] != reinterpret_cast<char const*>(sorted[k])) return false;
  return true;
}

nlohmann::ordered_json measure(std::string const& name, std::string text, settings const& options, machine& cpu, machine* gpu) {
  double const bytes = double(text.size());
  std::optional<strings::sorted_lines> lines;
  auto const sort_on = [&](machine& on) {
    strings::sort_options sort_options;
    sort_options.machine.on = &on;
    return median_ms(options.runs,
                     [&] { return 1e3 * bench::time_seconds([&] { lines = strings::sort(text, sort_options); }); });
  };
  nlohmann::ordered_json row{{"set", name}, {"bytes", text.size()}};
  if (gpu) row["gpu_ms"] = sort_on(*gpu);
  std::size_t const device_memory = lines ? lines->device_memory() : 0;
  row["cpu_ms"] = sort_on(cpu);
  row["lines"] = lines->size();
  if (gpu) row["device_memory"] = device_memory;
  if (!bench::string_rival().empty()) {
    c_strings const unsorted(text);
    std::vector<unsigned char const*> sorted;
    row[bench::string_rival()] = median_ms(options.runs, [&] {
      sorted = unsorted.begins();
      return 1e3 * bench::time_seconds([&] { bench::sort_by_rival(sorted); });
    });
    if (!is_same(*lines, sorted))
      throw error(fmt::format("different orders: {}: Ordo's and {}'s", name, bench::string_rival()));
  }
  auto const cell = [&](std::string_view key) {
    return row.contains(key) ? fmt::format("{:.1f}", row[key].get<double>()) : "-";
  };
  fmt::print("{:<16} {:>10} {:>8.1f} {:>10} {:>10} {:>10}\n", name, lines->size(), bytes / 1e6, cell("gpu_ms"), cell("cpu_ms"),
             cell(bench::string_rival()));
  std::fflush(stdout);
  return row;
}

int run(int argc, char const* const* argv) {
  settings options;
  std::vector<std::string> known;
  for (auto const& facts : generate::string_sets()) known.emplace_back(facts.name);
  cli::command_table table{.name = "string_sort",
                           .summary = "measure",
                           .usage = {"[OPTION]... [FILE]..."},
                           .description = "Strings in order, the sets of the paper or files, beside tlx if it is built in.",
                           .operands = {cli::operand_row("FILE", "lines to sort instead of the sets", options.files)}};
  table.options = {
      cli::value_row("sets", "NAME[,NAME...]", fmt::format("sort only these sets: {} [all]", fmt::join(known, ", ")),
                     [&](std::string_view spelling, std::string_view value) {
                       cli::parse_value(spelling, value, options.sets);
                       for (std::string const& set : options.sets)
                         if (std::ranges::find(known, set) == known.end())
                           throw usage_error(fmt::format("no such set: {}: {}", spelling, set));
                     }),
      cli::value_row("scale", "X", "multiply the numbers of lines by X", options.scale),
      cli::value_row("runs", "N", "take the median of N runs, after 2 to warm up", cli::parse_to(options.runs, 1, 1000),
                     fmt::format("{}", options.runs)),
      cli::value_row("json", "FILE", "write the figures to FILE", options.json)};
  cli::add_common_options(table, options.common);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  if (options.sets.empty() && options.files.empty()) options.sets = known;

  cpu host({.threads = options.common.threads});
  std::optional<gpu> device_gpu;
  if (options.common.machine().kind() != device::cpu && !gpus().empty()) device_gpu.emplace(gpu_options{});
  nlohmann::ordered_json rows = nlohmann::json::array();
  fmt::print("milliseconds\n{:<16} {:>10} {:>8} {:>10} {:>10} {:>10}\n", "set", "lines", "MB", "GPU", "CPU",
             bench::string_rival());
  for (std::string const& set : options.sets)
    rows.push_back(measure(set, generated(set, options.scale), options, host, device_gpu ? &*device_gpu : nullptr));
  for (std::string const& file : options.files) {
    auto const text = cli::read_all(file);
    rows.push_back(measure(file.substr(file.rfind('/') + 1), {text.data(), text.size()}, options, host,
                           device_gpu ? &*device_gpu : nullptr));
  }
  bench::write_report(options.json, options.common.threads, options.runs, rows, device_gpu.has_value());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("string_sort", [&] { return run(argc, argv); });
}
