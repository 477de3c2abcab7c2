#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "ordo/array_stream.hpp"
#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/gpu_start.hpp"
#include "tools/cli/options/option_rows.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"

// Sorts each array of a raw file of floats, which neither the machine's memory nor the host's need hold: an example of the
// core's stream of arrays, from a source to a sink.
namespace {

using namespace ordo;

constexpr std::string_view tool = "arrays";

struct arguments {
  std::string input, output = "-";
  std::uint64_t length = 0;
  cli::common_options common;
};

/// The input, which must end where an array does: the core would say so, too, but knows no names.
class whole_arrays final : public source {
 public:
  whole_arrays(cli::input& from, std::uint64_t length) : from_(from), length_(length) {
    if (auto const all = size()) check(*all);
  }
  std::size_t read(std::span<char> to) override {
    std::size_t const got = from_.read(to);
    read_ += got;
    if (got < to.size() && !size()) check(read_);
    return got;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return from_.size(); }
  void read_at(std::uint64_t offset, std::span<char> to) const override { from_.read_at(offset, to); }
  [[nodiscard]] std::uint64_t position() const override { return from_.position(); }
  void skip(std::uint64_t bytes) override { from_.skip(bytes); }

 private:
  void check(std::uint64_t bytes) const {
    if (bytes % sizeof(float) != 0 || bytes / sizeof(float) % length_ != 0)
      throw input_error(
          fmt::format("bad arrays: {}: {} bytes are no whole number of arrays of {} floats", from_.name(), bytes, length_));
  }
  cli::input& from_;
  std::uint64_t length_, read_ = 0;
};

std::unique_ptr<machine> make_machine(machine_choice const& where, unsigned threads) {
  if (where.device == device::gpu) return std::make_unique<gpu>(gpu_options{.device = where.gpu_index});
  std::size_t const available = cli::available_memory();
  return std::make_unique<cpu>(cpu_options{.threads = threads, .memory_limit = available - available / 8});
}

int sort(arguments const& how, cli::stats& stats) {
  auto const start = std::chrono::steady_clock::now();
  cli::input in(how.input, cli::compression::none, how.common.threads);
  cli::output out(how.output, cli::compression::none, how.common.threads);
  out.refuse_loop(in);
  whole_arrays from(in, how.length);
  // A GPU takes all that it can take one array of: the rest comes after.
  machine_choice const where = choose_machine(how.common.machine(), 0, 0, [&](gpu_info const& info) {
    gpu gpu({.device = info.index});
    return how.length * sizeof(float) + sort_arrays_memory<float>(gpu, how.length, 1, how.length);
  });
  stats.machine(where);
  stats.phase("sort");
  std::uint64_t const count = stream_arrays<float>(*make_machine(where, how.common.threads), from, out, how.length);
  out.commit();
  std::uint64_t const bytes = count * how.length * sizeof(float);
  stats.bytes(bytes);
  stats.input(bytes);
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
               gb = double(bytes) / 1e9;
  if (!how.common.quiet)
    cli::say(tool, fmt::format("{} arrays of {} floats on the {}: {:.2f} GB, {:.2f} s, {:.2f} GB/s", count, how.length,
                               to_string(where.device), gb, seconds, gb / seconds));
  stats.finish();
  return 0;
}

int run(int argc, char** argv) {
  arguments how;
  cli::command_table table{.name = std::string(tool),
                           .summary = "sort the arrays of a raw file",
                           .usage = {"[OPTION]... --length=N FILE"},
                           .description = "Sort each array of a raw file of little-endian floats, of any size.",
                           .operands = {{"FILE", "consecutive arrays of floats; - is standard input", 1, 1,
                                         [&how](std::string_view value) { how.input = value; }}}};
  cli::option output =
      cli::value_row("output", "FILE", "write to FILE, which may be the input", cli::store(how.output), "standard output");
  output.letter = 'o';
  cli::option length = cli::value_row(
      "length", "N", "sort arrays of N floats",
      [&how](std::string_view, std::string_view value) { how.length = cli::parse_count<std::uint64_t>("--length", value); });
  length.letter = 'l';
  length.required = true;
  table.options = {std::move(output), std::move(length)};
  cli::add_common_options(table, how.common);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  if (how.length == 0) throw usage_error("--length 0: an array has a float at least");
  if (how.length > std::uint64_t(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(float))
    throw usage_error(fmt::format("--length {}: more bytes than can be addressed", how.length));
  cli::gpu_start const starting(how.common, false);
  cli::stats stats(tool, argc, argv, how.common);
  stats.refuse_inputs({how.input});
  return sort(how, stats);
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main(tool, [&] { return run(argc, argv); });
}
