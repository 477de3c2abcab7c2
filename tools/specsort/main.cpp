#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "ordo/error.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/summary.hpp"
#include "tools/cli/input.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"
#include "tools/cli/temporary.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/options.hpp"
#include "tools/specsort/order_files.hpp"
#include "tools/specsort/order_options.hpp"
#include "tools/specsort/prompt_output.hpp"
#include "tools/specsort/summary_text.hpp"

namespace {

using namespace ordo;

using specsort::prompt_output, specsort::tool;

struct command {
  std::vector<std::string> inputs;
  std::string output = "-", by = "mz", to, summary;
  bool descending = false, check = false, lenient = false, explain = false, keep_metadata = false;
  specsort::selection_options selection;
  spectra::selection select;
  specsort::order_options order;
  spectra::order_options spectra_order;
  cli::common_options common;
};

spectra::sort_key by_of(command const& made) {
  return made.by == "mz" ? spectra::sort_key::mz : spectra::sort_key::intensity;
}

std::optional<int> parse(command& made, int argc, char** argv) {
  CLI::App app(
      "Put the peaks of every spectrum of an MGF or mzML file in order. The output is the input with the peaks permuted\n"
      "inside their spectrum, MGF as lines of which every byte survives, mzML as arrays; everything else stays as it is.\n"
      "Where options say which peaks stay, the others are left out. mzML can be written as MGF.",
      std::string(tool));
  app.add_option("IN", made.inputs, "MGF or mzML, plain or compressed, known by its bytes; - is standard input")->type_name("");
  auto* const output = app.add_option(
      "-o,--output", made.output, "write to FILE, compressed if it is named .gz, .bgz, .bz2, .xz or .zst [-: standard output]");
  output->type_name("FILE");
  app.add_option(
         "--to", made.to,
         "write mgf or mzml [what FILE is named, .mgf or .mzML, with .gz or the like behind it or not; else as the input]")
      ->check(CLI::IsMember({"mgf", "mzml"}).description(""))
      ->type_name("FORMAT");
  app.add_option("--by", made.by, "what orders the peaks: mz or intensity [mz]")
      ->check(CLI::IsMember({"mz", "intensity"}).description(""))
      ->type_name("KEY");
  app.add_flag("--descending", made.descending, "the greatest first; peaks without intensity still come last");
  auto* const check =
      app.add_flag("--check", made.check, "sort nothing: name the first peak out of order and exit with 1")->excludes(output);
  app.add_flag("--summary", made.summary, "sort nothing: print what is in the input, as a table or as JSON")
      ->check(CLI::IsMember({"true", "table", "json"}).description(""))
      ->type_name("[=json]")
      ->excludes(output, check);
  app.add_flag("--lenient", made.lenient,
               "MGF: leave lines that it does not allow where they are, with a warning; mzML: read bytes that are no UTF-8 as "
               "Windows-1252");
  app.add_flag("--explain", made.explain, "print what would be done to each spectrum, in order, and exit");
  made.selection.add_to(app);
  app.add_flag(
         "--keep-metadata", made.keep_metadata,
         "mzML that loses peaks: leave the total ion current, the base peak, the observed m/z and the lists of software and "
         "processing as they are")
      ->group("Which peaks stay (steps are done in this order)");
  made.order.add_to(app);
  app.footer(
      "Where spectra are put in order or cut into parts, every line keeps its bytes. What stands before the first spectrum of "
      "the\n"
      "first IN comes first, in each part; parameters there must be the same in all IN (but COM, USERNAME, USEREMAIL). Empty\n"
      "lines behind a spectrum stay behind it, all else between spectra goes with the one that follows. Peaks are sorted and\n"
      "dropped as other options say; the key peaks counts those that are left.\n\n"
      "Exit status: 0 done, 1 a check found disorder, 2 anything wrong.");
  cli::add_common_options(app, made.common);
  if (auto const status = cli::parse(app, argc, argv)) return status;
  made.select = made.selection.made();
  if (made.explain) {
    fmt::print("{}", specsort::explained(made.select, made.selection.preset, by_of(made), made.descending));
    return 0;
  }
  if (made.inputs.empty()) throw usage_error("IN is required (see specsort --help)");
  if (made.inputs.size() > 1 && !made.order.any())
    throw usage_error(
        fmt::format("one IN alone: {}: many are made one with --spectra-by, --split-size or --split-count", made.inputs[1]));
  made.spectra_order = made.order.made();
  if ((made.check || !made.summary.empty()) && made.order.any())
    throw usage_error("--check and --summary write no spectra: they go with no option that orders them");
  if (made.order.splits() && made.output == "-") throw usage_error("standard output has no parts: say -o FILE");
  if ((made.check || !made.summary.empty()) && !made.select.empty())
    throw usage_error("--check and --summary look at all peaks: they go with no option that drops some");
  return {};
}

// The library's options for this run; warnings go where the user wants them.
spectra::sort_options options_of(command const& made) {
  spectra::sort_options how;
  how.by = by_of(made);
  how.select = made.select;
  how.keep_metadata = made.keep_metadata;
  how.descending = made.descending;
  how.lenient = made.lenient;
  how.machine = made.common.machine();
  how.temporary_folder = cli::temporary_folder();
  if (!made.common.quiet) how.on_warning = [](std::string const& message) { cli::say(tool, "warning: " + message); };
  return how;
}

// What was done, when all is written.
void tell(cli::stats& stats, spectra::sort_report const& done) {
  for (auto const& one : done.phases) stats.overlapping(one.name, one.seconds, one.waited, one.bytes);
  stats.phase("commit");
  stats.machine(done.machine);
  stats.device_memory(done.device_memory);
}

// Warnings that were not shown.
void tell_more(command const& made, spectra::sort_options const& how, spectra::sort_report const& done,
               std::string const& name) {
  if (done.warnings > how.warnings_shown && how.on_warning)
    cli::say(tool, fmt::format("warning: {}: {} more warnings", name, done.warnings - how.warnings_shown));
  if (done.missing_precursor != 0 && !made.common.quiet)
    cli::say(tool, fmt::format("warning: {}: {} spectra lack the precursor's m/z{}", name, done.missing_precursor,
                               made.select.all_charges ? " or its charge" : ""));
}

int order(command const& made, cli::stats& stats, cli::progress& progress) {
  spectra::sort_options how = options_of(made);
  how.on_progress = [&](std::uint64_t bytes) { progress.at(bytes); };
  progress.phase("sorting");
  spectra::format const to = specsort::format_of_output(made.output, made.to).value_or(spectra::format::mgf);
  if (to == spectra::format::mzml && (made.inputs.size() > 1 || made.order.splits()))
    throw usage_error("mzML is of one run, and stays whole: many IN, and parts of one, are written as MGF (--to mgf)");
  auto const found = specsort::order_files(made.inputs, made.output, made.order.map, to, how, made.spectra_order, made.common,
                                           [&](spectra::sort_report const& done) { tell(stats, done); });
  progress.clear();
  tell_more(made, how, found.done, made.inputs.size() == 1 ? made.inputs[0] : "all inputs");
  stats.input(found.done.bytes);
  stats.finish();
  return 0;
}

int run(int argc, char** argv) {
  command made;
  if (auto const status = parse(made, argc, argv)) return *status;

  made.common.check_machine();
  cli::stats stats(tool, argc, argv, made.common);
  stats.refuse_inputs(made.inputs);
  cli::progress progress(tool, made.common, made.inputs, made.check || !made.summary.empty() ? "" : made.output);
  if (made.order.any()) return order(made, stats, progress);
  cli::input in(made.inputs[0], made.common.threads);
  spectra::sort_options how = options_of(made);
  how.name = in.name();
  if (!in.compressed()) how.input_bytes = in.file_size().value_or(0);  // inflating is slow: no work for a GPU
  spectra::format const format = specsort::format_of_input(in),
                        to_format = specsort::format_of_output(made.output, made.to, in, format);
  bool const mzml = format == spectra::format::mzml;
  how.on_progress = [&](std::uint64_t bytes) { progress.at(bytes); };
  progress.phase(made.check ? "checking" : made.summary.empty() ? "sorting" : "reading", how.input_bytes);

  int status = 0;
  spectra::sort_report done;
  if (made.check) {
    auto const [first, looked_at] = mzml ? spectra::check_mzml(in, how) : spectra::check(in, how);
    done = looked_at;
    for (auto const& one : done.phases) stats.overlapping(one.name, one.seconds, one.waited, one.bytes);
    if (first) {
      status = 1;
      cli::tell(fmt::format("{}: {}:{}: disorder: spectrum {}{}: {}\n", tool, how.name, first->line, first->spectrum,
                            first->title.empty() ? "" : fmt::format(" '{}'", first->title), first->peak));
    }
  } else if (!made.summary.empty()) {
    spectra::summary const found = mzml ? spectra::summarize_mzml(in, how) : spectra::summarize(in, how);
    done.bytes = found.bytes;
    done.warnings = found.warnings;
    progress.clear();
    fmt::print("{}",
               made.summary == "json" ? specsort::summary_json(found, how.name) : specsort::summary_table(found, how.name));
  } else {
    cli::output out(made.output, made.common.threads);
    out.refuse_loop(in);
    prompt_output to(out);
    done = mzml ? spectra::sort_mzml(in, to, how, to_format) : spectra::sort(in, to, how);
    tell(stats, done);
    out.commit();
  }
  progress.clear();
  tell_more(made, how, done, how.name);
  stats.input(done.bytes);
  stats.finish();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return ordo::cli::run_main(tool, [&] { return run(argc, argv); });
}
