#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ordo/error.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"
#include "tools/cli/temporary.hpp"
#include "tools/examples/spgemm/matrix_market.hpp"
#include "tools/examples/spgemm/product.hpp"

// Multiplies sparse matrices on the sort core: an example of what it is good for beside strings and spectra.
namespace {

using namespace ordo;

constexpr std::string_view tool = "spgemm";

struct asked {
  std::string first, second, output = "-", type = "double";
  bool transposed = false;
  std::uint64_t most_products = 0;
  cli::common_options common;
};

template <class T>
spgemm::sparse_matrix<T> read(std::string const& path, cli::stats& stats) {
  auto const text = cli::read_all(path);
  stats.bytes(text.size());
  stats.input(text.size());
  return spgemm::read_matrix_market<T>({text.data(), text.size()}, path == "-" ? "standard input" : path);
}

template <class T>
int multiply(asked const& how, cli::stats& stats) {
  stats.phase("read");
  auto const first = read<T>(how.first, stats);
  auto second = how.second.empty() ? first : read<T>(how.second, stats);
  if (how.transposed) second = spgemm::transposed(second);
  cli::output out(how.output, how.common.threads);
  stats.phase("multiply");
  spgemm::product_report report;
  std::optional<spgemm::matrix_market_writer> result;
  auto const multiply_on = [&](auto machine) {
    result.emplace(cli::temporary_folder());  // anew, where a GPU's memory did not do
    spgemm::product(
        machine, first, second, how.most_products, [&](auto const& entries) { result->add(entries); }, report);
    if (machine.kind() == device::gpu) stats.device_memory(machine.peak_memory());
  };
  machine_choice where =
      choose_machine(how.common.machine(), first.entries(), 0, [](gpu_info const&) { return std::size_t{0}; });
  run_on(
      where, [&] { multiply_on(gpu({.device = where.gpu_index})); },
      [&] {
        // Pages of the temporary file take the host's memory, too, until they are on the disk.
        multiply_on(cpu({.threads = how.common.threads, .memory_limit = cli::available_memory() / 2}));
      });
  stats.machine(where);
  stats.phase("write");
  result->write(first.rows, second.columns, out);
  stats.bytes(out.written());
  out.commit();
  if (how.common.verbose)
    cli::say(tool, fmt::format("{} products, {} entries, {} parts", report.products, report.entries, report.parts));
  stats.finish();
  return 0;
}

int run(int argc, char** argv) {
  asked how;
  CLI::App app("The product of two sparse matrices, from and to Matrix Market files.", std::string(tool));
  app.add_option("first", how.first, "the matrix on the left, - for standard input")->required();
  app.add_option("second", how.second, "the one on the right [the first]");
  app.add_flag("--transposed", how.transposed, "the one on the right is transposed first");
  app.add_option("-o,--output", how.output, "where to write, - for standard output")->capture_default_str();
  app.add_option("--type", how.type, "of the values: float or double")
      ->capture_default_str()
      ->check(CLI::IsMember({"float", "double"}));
  app.add_option_function<std::string>(
         "--part", [&how](std::string const& value) { how.most_products = cli::parse_count<std::uint64_t>("--part", value); },
         "products of two entries to be made at a time, rows being whole [0: as many as memory allows]")
      ->type_name("N");
  cli::add_common_options(app, how.common);
  if (auto const status = cli::parse(app, argc, argv)) return *status;
  how.common.check_machine();
  cli::stats stats(tool, argc, argv, how.common);
  stats.refuse_inputs({how.first, how.second.empty() ? how.first : how.second});
  return how.type == "float" ? multiply<float>(how, stats) : multiply<double>(how, stats);
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main(tool, [&] { return run(argc, argv); });
}
