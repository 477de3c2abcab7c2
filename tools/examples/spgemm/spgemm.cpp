#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/cli/gpu_start.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"
#include "tools/examples/spgemm/matrix_market.hpp"
#include "tools/examples/spgemm/product.hpp"

// Multiplies sparse matrices on the sort core: an example of what it is good for beside strings and spectra.
namespace {

using namespace ordo;

constexpr std::string_view tool = "spgemm";

struct arguments {
  std::string first, second, output = "-", type = "double";
  bool transposed = false;
  std::uint64_t max_products = 0;
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
int multiply(arguments const& how, cli::stats& stats) {
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
        machine, first, second, how.max_products, [&](auto const& entries) { result->add(entries); }, report);
    if (machine.kind() == device::gpu) stats.device_memory(machine.peak_memory());
  };
  machine_choice where =
      choose_machine(how.common.machine(), first.entries(), 0, [](gpu_info const&) { return std::size_t{0}; });
  run_with_fallback(
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
  arguments how;
  cli::command_table table{
      .name = std::string(tool),
      .summary = "multiply sparse matrices",
      .usage = {"[OPTION]... FIRST [SECOND]"},
      .description = "Multiply two sparse matrices, from and to Matrix Market files.",
      .operands = {
          {"FIRST", "the left matrix; - is standard input", 1, 1, [&how](std::string_view value) { how.first = value; }},
          {"SECOND", "the right matrix [FIRST]", 0, 1, [&how](std::string_view value) { how.second = value; }}}};
  cli::option output = cli::value_row("output", "FILE", "write to FILE; - is standard output", how.output);
  output.letter = 'o';
  cli::option type = cli::value_row("type", "TYPE", "compute with float or double", how.type);
  type.choices = "float double";
  type.only_choices = true;
  table.options = {cli::flag_row("transposed", "transpose the right matrix first", how.transposed), std::move(output),
                   std::move(type),
                   cli::value_row(
                       "part", "N", "make about N products of entries at a time, in whole rows; 0 means as memory allows",
                       [&how](std::string_view, std::string_view value) {
                         how.max_products = cli::parse_count<std::uint64_t>("--part", value);
                       },
                       "0")};
  cli::add_common_options(table, how.common);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  cli::gpu_start const starting(how.common, false);
  cli::stats stats(tool, argc, argv, how.common);
  stats.refuse_inputs({how.first, how.second.empty() ? how.first : how.second});
  return how.type == "float" ? multiply<float>(how, stats) : multiply<double>(how, stats);
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main(tool, [&] { return run(argc, argv); });
}
