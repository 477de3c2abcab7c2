#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "spectra/spectra.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"

namespace {

using namespace ordo;

constexpr std::string_view tool = "specsort";

struct command {
  std::string input, output = "-", by = "mz";
  bool descending = false, check = false, lenient = false;
  cli::common_options common;
};

std::optional<int> parse(command& made, int argc, char** argv) {
  CLI::App app(
      "Put the peaks of every spectrum of an MGF file in order. The output is the input with the peaks' lines\n"
      "permuted inside their spectrum: every byte of every line survives, and everything else stays in its place.",
      std::string(tool));
  app.add_option("IN", made.input, "MGF, plain or compressed; - is standard input")->required()->type_name("");
  auto* const output =
      app.add_option("-o,--output", made.output,
                     "write to FILE, compressed if it is named .gz, .bgz, .bz2, .xz or .zst [-: standard output]");
  output->type_name("FILE");
  app.add_option("--by", made.by, "what orders the peaks: mz or intensity [mz]")
      ->check(CLI::IsMember({"mz", "intensity"}).description(""))
      ->type_name("KEY");
  app.add_flag("--descending", made.descending, "the greatest first; peaks without intensity still come last");
  app.add_flag("--check", made.check, "sort nothing: name the first peak out of order and exit with 1")->excludes(output);
  app.add_flag("--lenient", made.lenient, "leave lines that MGF does not allow where they are, with a warning");
  app.footer("Exit status: 0 done, 1 a check found disorder, 2 anything wrong.");
  cli::add_common_options(app, made.common);
  return cli::parse(app, argc, argv);
}

// The output. A write in order that fails ends the process at once: the input may wait for more that never comes.
class prompt_output final : public sink {
 public:
  explicit prompt_output(cli::output& out) : out_(out) {}
  void write(std::span<char const> data) override {
    cli::run_beside(tool, [&] { out_.write(data); });
  }
  bool expect(std::uint64_t bytes) override { return out_.expect(bytes); }
  [[nodiscard]] bool addressable() const override { return out_.addressable(); }
  void write_at(std::uint64_t offset, std::span<char const> data) override { out_.write_at(offset, data); }

 private:
  cli::output& out_;
};

// The library's options for this run; warnings go where the user wants them.
spectra::options options_of(command const& made, cli::input const& in) {
  spectra::options how;
  how.by = made.by == "mz" ? spectra::sort_key::mz : spectra::sort_key::intensity;
  how.descending = made.descending;
  how.lenient = made.lenient;
  how.machine = made.common.machine();
  how.name = in.name();
  if (!in.compressed()) how.input_bytes = in.file_size().value_or(0);  // inflating is slow: no work for a GPU
  if (!made.common.quiet) how.on_warning = [](std::string const& message) { cli::say(tool, "warning: " + message); };
  return how;
}

int run(int argc, char** argv) {
  command made;
  if (auto const status = parse(made, argc, argv)) return *status;

  made.common.check_machine();
  cli::stats stats(tool, argc, argv, made.common);
  stats.refuse_inputs({made.input});
  cli::progress progress(tool, made.common, {&made.input, 1}, made.check ? "" : made.output);
  cli::input in(made.input, made.common.threads);
  spectra::options how = options_of(made, in);
  how.on_progress = [&](std::uint64_t bytes) { progress.at(bytes); };
  progress.phase(made.check ? "checking" : "sorting", how.input_bytes);

  int status = 0;
  spectra::report done;
  auto const tell_phases = [&] {
    for (auto const& one : done.phases) stats.overlapping(one.name, one.seconds, one.waited, one.bytes);
  };
  if (made.check) {
    auto const [first, looked_at] = spectra::check(in, how);
    done = looked_at;
    tell_phases();
    if (first) {
      status = 1;
      cli::tell(fmt::format("{}: {}:{}: disorder: spectrum {}{}: {}\n", tool, how.name, first->line, first->spectrum,
                            first->title.empty() ? "" : fmt::format(" '{}'", first->title), first->peak));
    }
  } else {
    cli::output out(made.output, made.common.threads);
    out.refuse_loop(in);
    prompt_output to(out);
    done = spectra::sort(in, to, how);
    tell_phases();
    stats.phase("commit");
    out.commit();
    stats.machine(done.machine);
    stats.device_memory(done.device_memory);
  }
  progress.clear();
  if (done.warnings > how.warnings_shown && how.on_warning)
    cli::say(tool, fmt::format("warning: {}: {} more warnings", how.name, done.warnings - how.warnings_shown));
  stats.input(done.bytes);
  stats.finish();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return ordo::cli::run_main(tool, [&] { return run(argc, argv); });
}
