// Measures suffix::build of FASTA files, from text in memory of the host to an array there, with one machine for all builds and
// with the machine of the process; then two builds in turn, and by two threads with a machine each, on one GPU or two. Medians,
// in this process; reading is not timed. --device cpu measures the CPU.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bench/host_bench.hpp"
#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fasta.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"

using namespace ordo;

namespace {

struct task {
  std::string name;
  std::shared_ptr<suffix::fasta const> records;
  std::vector<std::uint32_t> sa;
  suffix::build_report report;

  void build(machine_options const& options) {
    report = suffix::build(records->view(), suffix::arrays<std::uint32_t>{sa, {}, {}}, {.machine = options});
  }
};

template <class Work>
double median_ms(std::size_t runs, Work work) {
  for (int warm = 0; warm < 2; ++warm) work();
  std::vector<double> times;
  for (std::size_t k = 0; k < runs; ++k) times.push_back(1e3 * bench::time_seconds(work));
  return bench::median(times);
}

std::unique_ptr<machine> make(machine_options const& options, unsigned index) {
  if (options.device == device::cpu) return std::make_unique<cpu>(cpu_options{.threads = options.threads});
  return std::make_unique<gpu>(gpu_options{.device = index});
}

int run(int argc, char const* const* argv) {
  std::vector<std::string> files;
  std::string json;
  std::size_t runs = 7;
  cli::common_options common;
  cli::command_table table{.name = "machines",
                           .summary = "measure",
                           .usage = {"[OPTION]... [FILE]..."},
                           .description = "Suffix arrays on machines that are kept.",
                           .operands = {cli::operand_row("FILE", "a FASTA file", files, 1)}};
  table.options = {cli::value_row("runs", "N", "take the median of N runs", runs),
                   cli::value_row("json", "FILE", "write the figures to FILE", json)};
  cli::add_common_options(table, common);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;

  machine_options options = common.machine();
  if (options.device == device::automatic) options.device = gpus().empty() ? device::cpu : device::gpu;
  auto const first = make(options, 0), second = make(options, 0);
  nlohmann::ordered_json rows = nlohmann::json::array();
  fmt::print("{:<28} {:>11} {:>8} {:>10} {:>10} {:>12} {:>12} {:>12}\n", "input", "residues", "machine", "kept ms", "own ms",
             "one by one", "two threads", "two GPUs");
  for (std::string const& file : files) {
    cli::input in(file);
    task one{file.substr(file.rfind('/') + 1), std::make_shared<suffix::fasta>(suffix::read_fasta(in.name(), in)), {}, {}};
    one.sa.resize(one.records->residues.size());
    task other = one;
    double const kept = median_ms(runs, [&] { one.build({.on = first.get()}); });
    std::size_t const memory = one.report.device_memory;
    double const own = median_ms(runs, [&] { one.build(options); });
    double const serial = median_ms(runs, [&] {
      one.build({.on = first.get()});
      other.build({.on = second.get()});
    });
    auto const at_once = [&](machine& beside) {
      return median_ms(runs, [&] {
        std::thread helper([&] { other.build({.on = &beside}); });
        one.build({.on = first.get()});
        helper.join();
      });
    };
    double const threads = at_once(*second);
    double two_gpus = 0;
    if (options.device == device::gpu && gpus().size() > 1) {
      auto const elsewhere = make(options, 1);
      two_gpus = at_once(*elsewhere);
    }
    if (one.sa != other.sa) throw error(fmt::format("different suffix arrays: {}", file));
    fmt::print("{:<28} {:>11} {:>8} {:>10.2f} {:>10.2f} {:>12.2f} {:>12.2f} {:>12.2f}\n", one.name, one.sa.size(),
               to_string(options.device), kept, own, serial, threads, two_gpus);
    rows.push_back({{"input", one.name},
                    {"residues", one.sa.size()},
                    {"machine", to_string(options.device)},
                    {"kept_ms", kept},
                    {"own_ms", own},
                    {"device_memory", memory},
                    {"two_builds_one_by_one_ms", serial},
                    {"two_builds_two_threads_ms", threads},
                    {"two_builds_two_gpus_ms", two_gpus}});
  }
  bench::write_report(json, common.threads, runs, rows, options.device == device::gpu);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("machines", [&] { return run(argc, argv); });
}
