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
#include <CLI/CLI.hpp>

#include "ordo/array_stream.hpp"
#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "tools/cli/available_memory.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"

// Sorts each array of a raw file of floats, which neither the machine's memory nor the host's need hold: an example of the
// core's stream of arrays, from a source to a sink.
namespace {

using namespace ordo;

constexpr std::string_view tool = "arrays";

struct asked {
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

int sort(asked const& how, cli::stats& stats) {
  auto const start = std::chrono::steady_clock::now();
  cli::input in(how.input, cli::compression::none, how.common.threads);
  cli::output out(how.output, cli::compression::none, how.common.threads);
  out.refuse_loop(in);
  whole_arrays from(in, how.length);
  // A GPU takes all that it can take one array of: the rest comes after.
  machine_choice const where = choose_machine(how.common.machine(), 0, 0, [&](gpu_info const& info) {
    gpu one({.device = info.index});
    return how.length * sizeof(float) + sort_arrays_memory<float>(one, how.length, 1, how.length);
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
  asked how;
  CLI::App app("Sorts each array of a raw file of little-endian floats, of any size.", std::string(tool));
  app.add_option("IN", how.input, "arrays, one behind the other, as they are; - is standard input")->required()->type_name("");
  app.add_option("-o,--output", how.output, "write to FILE, which may be IN [-: standard output]")->type_name("FILE");
  app.add_option_function<std::string>(
         "-l,--length", [&how](std::string const& value) { how.length = cli::parse_count<std::uint64_t>("--length", value); },
         "floats of an array")
      ->required()
      ->type_name("N");
  cli::add_common_options(app, how.common);
  if (auto const status = cli::parse(app, argc, argv)) return *status;
  if (how.length == 0) throw usage_error("--length 0: an array has a float at least");
  if (how.length > std::uint64_t(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(float))
    throw usage_error(fmt::format("--length {}: more bytes than can be addressed", how.length));
  how.common.check_machine();
  cli::stats stats(tool, argc, argv, how.common);
  stats.refuse_inputs({how.input});
  return sort(how, stats);
}

}  // namespace

int main(int argc, char** argv) {
  return cli::run_main(tool, [&] { return run(argc, argv); });
}
