#include "tools/cli/stats.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <nlohmann/json.hpp>

#include "distributed/gather_strings.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "sort_core/cuda/runtime/devices.hpp"
#include "tools/cli/files/raw_file.hpp"
#include "tools/cli/files/warnings.hpp"
#include "tools/cli/run_main.hpp"

namespace ordo::inline v0::cli {
namespace {

double to_seconds(timeval const& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

/// The beginning of each report.
constexpr std::string_view report_begin = "{\n  \"tool\": ";

/// Refuses to replace a file that is no report: before the name of an input, `--stats` takes that as its file.
void refuse_other(std::string const& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || std::filesystem::file_size(path, ignored) == 0) return;
  std::array<char, report_begin.size()> begin{};
  std::ifstream(path).read(begin.data(), begin.size());
  if (std::string_view(begin.data(), begin.size()) != report_begin)
    throw usage_error(fmt::format("--stats {}: it would replace a file that is no report: name another, or remove it", path));
}

rusage used() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use;
}

double cpu_seconds() {
  return to_seconds(used().ru_utime) + to_seconds(used().ru_stime);
}

std::uint64_t peak_memory() {
  return static_cast<std::uint64_t>(used().ru_maxrss) * 1024;  // Linux counts in KiB
}

double gpu_start_seconds() {
  if constexpr (cuda_enabled) return cuda_detail::seconds_to_start();
  return 0;
}

template <class Phase>
nlohmann::ordered_json phase_json(Phase const& p) {
  return {{"name", p.name}, {"seconds", p.seconds}, {"waited", p.waited}, {"bytes", p.bytes}};
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> units{"B", "kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, unit > 0 && value < 9.95 ? 1 : 0, units[unit]);
}

stats::stats(std::string_view tool, int argc, char const* const* argv, common_options const& options)
    : tool_(tool), command_(tool), options_(options) {
  if (options.quiet) quiet_warnings();
  for (int i = 1; i < argc; ++i) command_ += fmt::format(" {}", argv[i]);
  if (options.stats.empty()) return;
  refuse_other(options.stats);
  file_.emplace(options.stats);
}

void stats::refuse_inputs(std::vector<std::string> const& paths) const {
  if (!file_) return;
  for (std::string const& path : paths)
    if (file_->is_file(path))
      throw usage_error(fmt::format("--stats {}: it would replace {}", options_.stats, path == "-" ? "standard input" : path));
}

void stats::end_phase() {
  auto const now = clock::now();
  double const waited = file_wait::seconds();
  if (current_) {
    phases_[*current_].seconds += std::chrono::duration<double>(now - phase_start_).count();
    phases_[*current_].waited += waited - waited_start_;
  }
  phase_start_ = now;
  waited_start_ = waited;
}

// The phase of this name, a new one if there is none.
std::size_t stats::find(std::string_view name) {
  auto const it = std::find_if(phases_.begin(), phases_.end(), [&](phase_entry const& p) { return p.name == name; });
  auto const index = static_cast<std::size_t>(it - phases_.begin());
  if (it == phases_.end()) phases_.push_back({.name = std::string(name)});
  return index;
}

void stats::phase(std::string_view name) {
  end_phase();
  current_ = find(name);
}

void stats::bytes(std::uint64_t more) {
  if (current_) phases_[*current_].bytes += more;
}

void stats::overlapping(std::string_view name, double seconds, double waited, std::uint64_t bytes) {
  phase_entry& entry = phases_[find(name)];
  entry.seconds += seconds;
  entry.waited += waited;
  entry.bytes += bytes;
}

void stats::machine(machine_choice const& decided) {
  if (decided.fell_back && !machine_.fell_back && !options_.quiet) say(tool_, decided.reason);
  machine_ = decided;
}

void stats::device_memory(std::uint64_t peak) {
  device_memory_ = std::max(device_memory_, peak);
}

void stats::add_members(communicator& members, std::uint64_t exchanged) {
  end_phase();
  nlohmann::ordered_json mine{{"member", members.rank()},
                              {"device", to_string(machine_.device)},
                              {"seconds", std::chrono::duration<double>(clock::now() - start_).count()},
                              {"cpu_seconds", cpu_seconds()},
                              {"peak_memory", peak_memory()},
                              {"peak_device_memory", device_memory_},
                              {"exchanged_bytes", exchanged},
                              {"phases", nlohmann::ordered_json::array()}};
  for (phase_entry const& p : phases_) mine["phases"].push_back(phase_json(p));
  members_ = ordo::detail::gather_strings(members, mine.dump());
  current_.reset();
}

std::string stats::json(double seconds, double cpu, std::uint64_t memory) const {
  nlohmann::ordered_json report{{"tool", tool_},
                                {"version", version},
                                {"command", command_},
                                {"device", to_string(machine_.device)},
                                {"why", machine_.reason},
                                {"seconds", seconds},
                                {"cpu_seconds", cpu},
                                {"input_bytes", input_},
                                {"peak_memory", memory},
                                {"peak_device_memory", device_memory_},
                                {"gpu_start_seconds", gpu_start_seconds()},
                                {"phases", nlohmann::ordered_json::array()}};
  for (phase_entry const& p : phases_) report["phases"].push_back(phase_json(p));
  for (std::string const& member : members_) report["members"].push_back(nlohmann::ordered_json::parse(member));
  // A file's name need not be UTF-8.
  return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void stats::finish() {
  end_phase();
  double const seconds = std::chrono::duration<double>(clock::now() - start_).count();
  double const cpu = cpu_seconds();
  std::uint64_t const memory = peak_memory();
  if (options_.verbose) {
    std::string const where =
        machine_.reason.empty() ? "" : fmt::format(" on the {}: {}", to_string(machine_.device), machine_.reason);
    double const start = gpu_start_seconds();
    std::string const started = start == 0 ? "" : fmt::format(", GPU start {:.2f} s", start);
    say(tool_, fmt::format("{}: {}: {:.2f} s real, {:.2f} s CPU{}, {} memory, {:.1f} MB/s{}", version, command_, seconds, cpu,
                           started, human_bytes(memory), static_cast<double>(input_) / 1e6 / std::max(seconds, 1e-6), where));
  }
  if (file_) {
    file_->write(json(seconds, cpu, memory));
    file_->commit();
  }
}

}  // namespace ordo::inline v0::cli
