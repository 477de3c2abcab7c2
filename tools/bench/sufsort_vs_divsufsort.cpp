// Suffix arrays of FASTA files, on each machine present, beside libdivsufsort on one thread: best of some runs in turn, in
// this process, on the same residues, results compared. Reading is not counted; allocating and touching memory is.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <divsufsort.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sort_core/error.hpp"
#include "suffix/fasta.hpp"
#include "suffix/suffix.hpp"
#include "tools/bench/host_bench.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/run_main.hpp"

using namespace ordo;

namespace {

int run(int argc, char const* const* argv) {
  CLI::App app("Suffix arrays by Ordo and by libdivsufsort.", "sufsort_vs_divsufsort");
  std::vector<std::string> files;
  std::string json;
  unsigned runs = 3;
  cli::common_options common;
  cli::add_common_options(app, common);
  app.add_option("files", files, "FASTA; their records are taken as one text")->required();
  app.add_option("--runs", runs, "of which the best counts [3]");
  app.add_option("--json", json, "write the rows there");
  if (auto const status = cli::parse(app, argc, argv)) return *status;

  nlohmann::ordered_json rows = nlohmann::json::array();
  bool on_gpu = false;
  fmt::print("{:<28} {:>11} {:>7} {:>9} {:>8} {:>13} {:>8} {:>7}\n", "input", "residues", "device", "seconds", "MB/s",
             "divsufsort s", "MB/s", "times");
  for (std::string const& file : files) {
    cli::input in(file);
    suffix::fasta const records = suffix::read_fasta(in.name(), in);
    std::string_view const text = records.view().residues;
    std::size_t const n = text.size();
    if (n > std::size_t(std::numeric_limits<saidx_t>::max()))
      throw usage_error(fmt::format("too many residues: {}: libdivsufsort takes up to 2^31 - 1", file));
    for (device const where : {device::cpu, device::gpu}) {
      if ((where == device::gpu && gpus().empty()) || (common.where != "auto" && common.where != to_string(where))) continue;
      suffix::options how;
      how.machine = {where, common.threads};
      double ours = 1e9, theirs = 1e9;
      for (unsigned k = 0; k < runs; ++k) {
        std::unique_ptr<std::uint32_t[]> sa;
        std::unique_ptr<saidx_t[]> rival;
        ours = std::min(ours, bench::seconds_of([&] {
                          sa.reset(new std::uint32_t[n]);
                          suffix::build(suffix::text{text}, suffix::arrays<std::uint32_t>{{sa.get(), n}, {}, {}}, how);
                        }));
        theirs = std::min(theirs, bench::seconds_of([&] {
                            rival.reset(new saidx_t[n]);
                            divsufsort(reinterpret_cast<sauchar_t const*>(text.data()), rival.get(), saidx_t(n));
                          }));
        if (!std::equal(sa.get(), sa.get() + n, rival.get(), [](std::uint32_t a, saidx_t b) { return a == std::uint32_t(b); }))
          throw error(fmt::format("different suffix arrays: {}", file));
      }
      double const megabytes = double(n) / 1e6;
      fmt::print("{:<28} {:>11} {:>7} {:>9.3f} {:>8.1f} {:>13.3f} {:>8.1f} {:>7.2f}\n", file.substr(file.rfind('/') + 1), n,
                 to_string(where), ours, megabytes / ours, theirs, megabytes / theirs, theirs / ours);
      rows.push_back({{"input", file.substr(file.rfind('/') + 1)},
                      {"residues", n},
                      {"machine", to_string(where)},
                      {"seconds", ours},
                      {"rival", "libdivsufsort"},
                      {"rival_seconds", theirs}});
      on_gpu = on_gpu || where == device::gpu;
    }
  }
  bench::write_report(json, common.threads, runs, rows, on_gpu);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main("sufsort_vs_divsufsort", [&] { return run(argc, argv); });
}
