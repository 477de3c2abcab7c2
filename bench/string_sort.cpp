// strings::sort of the ten sets of the string sorting paper (Deshpande and Narayanan, HiPC'13, table I) or of files: text in
// the host's memory, order out, by machines that are kept; and tlx's parallel string sample sort, if it is built in
// (find_package). Medians, in one process; making, reading and checking are not counted.
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/host_bench.hpp"
#include "bench/string_rival.hpp"
#include "ordo/cpu.hpp"
#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "ordo/strings.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/generate/strings.hpp"

using namespace ordo;

namespace {

struct asked {
  std::vector<std::string> sets, files;
  double scale = 1;
  std::size_t runs = 5;
  std::string json;
  cli::common_options common;
};

std::string made(std::string const& set, double scale) {
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

/// The text's lines as strings that end with NUL.
class strings_of {
 public:
  explicit strings_of(std::string text) : text_(std::move(text)) {
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

/// Do both orders give the same lines?
bool is_same(strings::sorted_lines const& lines, std::vector<unsigned char const*> const& sorted) {
  if (lines.size() != sorted.size()) return false;
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (lines[k] != reinterpret_cast<char const*>(sorted[k])) return false;
  return true;
}

nlohmann::ordered_json measure(std::string const& name, std::string text, asked const& how, machine& cpu, machine* gpu) {
  double const bytes = double(text.size());
  std::optional<strings::sorted_lines> lines;
  auto const sort_on = [&](machine& on) {
    strings::sort_options options;
    options.machine.on = &on;
    return median_ms(how.runs, [&] { return 1e3 * bench::seconds_of([&] { lines = strings::sort(text, options); }); });
  };
  nlohmann::ordered_json row{{"set", name}, {"bytes", text.size()}};
  if (gpu) row["gpu_ms"] = sort_on(*gpu);
  std::size_t const device_memory = lines ? lines->device_memory() : 0;
  row["cpu_ms"] = sort_on(cpu);
  row["lines"] = lines->size();
  if (gpu) row["device_memory"] = device_memory;
  if (!bench::string_rival().empty()) {
    strings_of const given(text);
    std::vector<unsigned char const*> sorted;
    row[bench::string_rival()] = median_ms(how.runs, [&] {
      sorted = given.begins();
      return 1e3 * bench::seconds_of([&] { bench::sort_by_rival(sorted); });
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
  asked how;
  CLI::App app("Strings in order, the sets of the paper or files, beside tlx if it is built in.", "string_sort");
  std::vector<std::string> known;
  for (auto const& facts : generate::string_sets()) known.emplace_back(facts.name);
  app.add_option("files", how.files, "lines to sort instead of the sets");
  app.add_option("--sets", how.sets, "which sets, with commas between [all]")->delimiter(',')->check(CLI::IsMember(known));
  app.add_option("--scale", how.scale, "of the number of lines")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--runs", how.runs, "of which the median counts, after 2 warm-ups")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--json", how.json, "write the rows there");
  cli::add_common_options(app, how.common);
  if (auto const status = cli::parse(app, argc, argv)) return *status;
  if (how.sets.empty() && how.files.empty()) how.sets = known;

  cpu host({.threads = how.common.threads});
  std::optional<gpu> card;
  if (how.common.machine().kind() != device::cpu && !gpus().empty()) card.emplace(gpu_options{});
  nlohmann::ordered_json rows = nlohmann::json::array();
  fmt::print("milliseconds\n{:<16} {:>10} {:>8} {:>10} {:>10} {:>10}\n", "set", "lines", "MB", "GPU", "CPU",
             bench::string_rival());
  for (std::string const& set : how.sets)
    rows.push_back(measure(set, made(set, how.scale), how, host, card ? &*card : nullptr));
  for (std::string const& file : how.files) {
    auto const text = cli::read_all(file);
    rows.push_back(measure(file.substr(file.rfind('/') + 1), {text.data(), text.size()}, how, host, card ? &*card : nullptr));
  }
  bench::write_report(how.json, how.common.threads, how.runs, rows, card.has_value());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("string_sort", [&] { return run(argc, argv); });
}
