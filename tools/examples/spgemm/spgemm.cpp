#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sort_core/error.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"
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
spgemm::sparse_matrix<T> read(std::string const& path) {
  auto const text = cli::read_all(path);
  return spgemm::read_matrix_market<T>({text.data(), text.size()}, path == "-" ? "standard input" : path);
}

template <class T>
int multiply(asked const& how) {
  auto const first = read<T>(how.first);
  auto const given = how.second.empty() ? first : read<T>(how.second);
  auto const second = how.transposed ? spgemm::transposed(given) : given;
  cli::output out(how.output, how.common.threads);
  spgemm::product_report report;
  spgemm::sparse_matrix<T> result;
  decision where = choose(how.common.machine(), first.entries(), 0, [](gpu_info const&) { return std::size_t{0}; });
  run_on(
      where,
      [&] {
        gpu machine({.device = where.gpu_index});
        result = spgemm::product(machine, first, second, how.most_products, report);
      },
      [&] {
        // The result takes the host's memory, too.
        cpu machine({.threads = how.common.threads, .memory_limit = cli::available_memory() / 2});
        result = spgemm::product(machine, first, second, how.most_products, report);
      });
  spgemm::write_matrix_market(result, out);
  out.commit();
  if (how.common.verbose)
    cli::say(tool, fmt::format("{} products, {} entries, {} parts; {}: {}", report.products, result.entries(), report.parts,
                               to_string(where.where), where.why));
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
  app.add_option("--part", how.most_products,
                 "products of two entries to be made at a time, rows being whole [as memory allows]")
      ->transform(CLI::AsSizeValue(true));
  cli::add_common_options(app, how.common);
  if (auto const status = cli::parse(app, argc, argv)) return *status;
  how.common.check_machine();
  return how.type == "float" ? multiply<float>(how) : multiply<double>(how);
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main(tool, [&] { return run(argc, argv); });
}
