#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "ordo/communicator.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/distributed_sort.hpp"
#include "ordo/spectra/import.hpp"
#include "ordo/spectra/mzml.hpp"
#include "ordo/spectra/summary.hpp"
#include "tools/cli/files/input.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/files/shared_output.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/cli/job.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/programs.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/cli/stats.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/options.hpp"
#include "tools/specsort/order_files.hpp"
#include "tools/specsort/prompt_output.hpp"
#include "tools/specsort/report_page.hpp"
#include "tools/specsort/summary_text.hpp"

namespace {

using namespace ordo;

using specsort::prompt_output, specsort::refuse_instrument_folder, specsort::tool;

using specsort::command;

// A complete command line.
struct work {
  command const& made;
  spectra::spectrum_choice choice;
  spectra::selection select;
  spectra::order_options order;
  specsort::spectrum_lists lists;
  std::optional<spectra::duplicate_rule> duplicates;

  // Returns true if there are several inputs, or an order of spectra, or parts, or their origins are written.
  [[nodiscard]] bool orders() const { return made.order.any() || made.inputs.size() > 1 || !made.order.map.empty(); }
};

void refuse_conflicts(command const& made) {
  bool const writes = made.has_output || !made.report.empty();
  int const tasks = int(writes) + int(made.check) + int(!made.summary.empty());
  if (tasks > 1)
    throw usage_error(
        "conflicting options: --output, --check, --summary, --report: give one of them, or --report with --output");
  if (made.has_output && made.output == "-" && made.report == "-")
    throw usage_error("conflicting options: --output, --report: both would be standard output");
}

// Refuses a folder as output. There is one output, of all inputs.
void refuse_folder_output(command const& made) {
  std::error_code error;
  if (!made.output.ends_with('/') && !std::filesystem::is_directory(made.output, error)) return;
  std::string const folder = made.output.substr(0, made.output.find_last_not_of('/') + 1);
  std::string_view const several =
      made.inputs.size() > 1 ? "; several inputs become one file: to keep them apart, run specsort once for each" : "";
  throw usage_error(fmt::format("cannot write: {}: it is a folder, and the output is a file: name it, as {}/{}{}", made.output,
                                folder, made.to == "mzml" ? "sorted.mzML" : "sorted.mgf", several));
}

// Checks options that depend on one another. @throws usage_error
work checked(command const& made) {
  if (made.inputs.empty()) throw usage_error("missing operand: FILE: see specsort --help");
  bool const writes = made.writes();
  if (made.inputs.size() > 1 && !writes)
    throw usage_error(
        fmt::format("several inputs: {}: --check, --summary, and --report without --output read one", made.inputs[1]));
  work w{made,
         made.choice.choice(),
         made.selection.selection(),
         made.order.order(made.inputs.size() > 1, !made.choice.unique.empty()),
         {made.choice.index, made.inputs},
         made.choice.duplicates()};
  if (!made.choice.filter_ms_level.empty() && w.select.empty())
    throw usage_error("missing option: --filter-ms-level: it needs an option that filters peaks, such as --top");
  if (made.check && made.choice.any())
    throw usage_error("conflicting options: --check: it reads all spectra, of which other options choose some");
  if (!writes && (made.order.any() || !made.order.map.empty()))
    throw usage_error(
        "conflicting options: --check, --summary, --report without --output: they write no spectra, which others order, "
        "split or list");
  if (writes) refuse_folder_output(made);
  if (made.order.splits() && made.output == "-") throw usage_error("missing option: --output: standard output has no parts");
  if (made.check && !w.select.empty())
    throw usage_error("conflicting options: --check: it reads all peaks, of which other options drop some");
  return w;
}

// Returns the options of the library.
spectra::sort_options options_of(work const& w) {
  command const& made = w.made;
  spectra::sort_options options;
  options.by = made.key();
  options.choice = w.choice;
  if (w.made.inputs.size() == 1) options.choice.numbers = w.lists.of_input(0);
  options.select = w.select;
  options.select_levels = made.choice.select_levels();
  options.keep_metadata = made.keep_metadata;
  if (!made.isolation_target.empty())
    options.isolation =
        made.isolation_target == "never" ? spectra::isolation_target::ignore : spectra::isolation_target::fallback;
  options.all_precursors = made.precursors == "all";
  options.descending = made.descending;
  options.lenient = made.lenient;
  if (!made.rt_unit.empty()) options.rt_unit_seconds = made.rt_unit == "min" ? 60 : 1;
  options.machine = made.common.machine();
  options.temporary_folder = cli::temporary_folder();
  if (!made.common.quiet) options.on_warning = [](std::string const& message) { cli::say(tool, "warning: " + message); };
  return options;
}

// Reports phases when all is written.
void report(cli::stats& stats, spectra::sort_report const& done) {
  for (auto const& phase : done.phases) stats.overlapping(phase.name, phase.seconds, phase.waited, phase.bytes);
  stats.phase("commit");
  stats.machine(done.machine);
  stats.device_memory(done.device_memory);
}

// Prints the numbers of warnings.
void report_totals(work const& w, spectra::sort_options const& options, spectra::sort_report const& done,
                   std::string const& name) {
  if (done.warnings > options.warnings_shown && options.on_warning)
    cli::say(tool, fmt::format("warning: {}: {} more warnings", name, done.warnings - options.warnings_shown));
  if (done.missing_precursor != 0 && !w.made.common.quiet)
    cli::say(tool, fmt::format("warning: {}: {} spectra lack the precursor's m/z{}", name, done.missing_precursor,
                               w.select.all_charges ? " or its charge" : ""));
}

// Warns if a choice, or the least number of peaks, leaves nothing.
void report_choice(work const& w, spectra::sort_report const& done, std::string const& name) {
  bool const chooses = w.made.choice.any() || w.select.min_peaks != 0;
  if (chooses && done.spectra != 0 && done.spectra_kept == 0 && !w.made.common.quiet)
    cli::say(tool, fmt::format("warning: {}: none of {} spectra is left", name, done.spectra));
}

// Reads the inputs to find the sample, if it is a number of spectra.
void find_sample(work const& w, spectra::sort_options& options, cli::progress& progress) {
  auto const count = w.made.choice.sample_size();
  if (!count) return;
  progress.phase("sampling");
  options.choice.sample = spectra::find_sample(specsort::inputs_of(w.made.inputs, w.lists, w.made.common.threads, true),
                                               options, *count, w.made.choice.seed_value());
  options.choice.sample->inverse = w.made.choice.inverse_sample();
}

// Returns the format of the output of ordered spectra. That of one input whose spectra keep their order is the input's.
spectra::format format_of_ordered(command const& made) {
  auto const named = specsort::format_of_output(made.output, made.to);
  if (named || made.order.any() || made.inputs.size() > 1) return named.value_or(spectra::format::mgf);
  cli::input in(made.inputs[0], made.common.threads);
  if (made.inputs[0] == "-" || !in.id())
    throw usage_error(
        fmt::format("missing option: --to: {}: with --map, it states the format of the output of a pipe", in.name()));
  return specsort::format_of_output(made.output, made.to, in, specsort::format_of_input(in));
}

std::string name_of_all(command const& made) {
  return made.inputs.size() == 1 ? made.inputs[0] : "all inputs";
}

// The page of --report. It is opened at once, so that an error comes early, and takes its place when all is done.
class report_file {
 public:
  explicit report_file(work const& w) : out_(w.made.report, w.made.common.threads) {
    for (std::string const& input : w.made.inputs)
      if (out_.is_file(input))
        throw usage_error(fmt::format("cannot write: --report {}: it would replace the input {}", w.made.report, input));
  }
  [[nodiscard]] cli::output const& out() const { return out_; }
  void write(spectra::comparison const& comparison, std::string_view name, std::vector<std::string> const& command) {
    out_.write(std::string_view(specsort::report_page(comparison, name, command)));
    out_.finish();
  }
  void commit() { out_.commit(); }

 private:
  cli::output out_;
};

// Makes the page of spectra that are also written. The inputs are read once more for it.
std::optional<report_file> report_of_output(work const& w, spectra::sort_options options,
                                            std::vector<std::string> const& command, cli::progress& progress) {
  std::optional<report_file> page;
  if (w.made.report.empty() || !w.made.has_output) return page;
  page.emplace(w);
  progress.phase("reading");
  options.distributions = true;
  auto const inputs = specsort::inputs_of(w.made.inputs, w.lists, w.made.common.threads, true);
  std::optional<spectra::format> to = specsort::format_of_output(w.made.output, w.made.to);
  // Without a name: one input of mzML stays that.
  if (!to)
    to = !w.orders() && inputs.open(0).from_format == spectra::format::mzml ? spectra::format::mzml : spectra::format::mgf;
  page->write(spectra::compare(inputs, options, to), name_of_all(w.made), command);
  return page;
}

// Prints a summary, or writes a report.
spectra::sort_report summarize(work const& w, cli::input& in, spectra::sort_options options, spectra::format format,
                               std::vector<std::string> const& command, cli::progress& progress) {
  std::optional<spectra::format> to;  // --to, which a command that writes has
  if (!w.made.to.empty()) to = specsort::format_of_output({}, w.made.to, in, format);
  bool const json = w.made.summary == "json", filters = w.made.choice.any() || !w.select.empty() || (to && *to != format);
  std::optional<report_file> page;
  if (!w.made.report.empty()) {
    page.emplace(w);
    page->out().refuse_loop(in);
    options.distributions = true;
  }
  spectra::sort_report done;
  auto const take_size = [&](spectra::summary const& all) {
    done.bytes = all.bytes;
    done.warnings = all.warnings;
    progress.clear();
  };
  if (page || filters) {
    spectra::comparison const comparison = spectra::compare(in, options, format, to);
    take_size(comparison.before);
    if (page) {
      page->write(comparison, options.name, command);
      page->commit();
    } else {
      fmt::print("{}", json ? specsort::comparison_json(comparison, options.name)
                            : specsort::comparison_table(comparison, options.name));
    }
    done.spectra = comparison.before.spectra;
    done.spectra_kept = comparison.after.spectra;
    report_choice(w, done, options.name);
  } else {
    spectra::summary const summary = spectra::summarize(in, options, format);
    take_size(summary);
    fmt::print("{}", json ? specsort::summary_json(summary, options.name) : specsort::summary_table(summary, options.name));
  }
  return done;
}

// Reads the inputs to find the spectra that repeat others.
void find_duplicates(work& w, spectra::sort_options& options, cli::progress& progress) {
  if (!w.duplicates) return;
  progress.phase("comparing");
  w.lists.duplicates = spectra::find_duplicates(specsort::inputs_of(w.made.inputs, w.lists, w.made.common.threads, true),
                                                options, *w.duplicates, w.order);
  options.choice.duplicates_text = w.made.choice.unique;
  options.choice.duplicates = w.lists.duplicates_of(0);
}

// The work of the processes of a job: the first one alone; each a part of the input, or of the spectra, and of the output; or
// each some chunks of the input, for the first one.
enum class division : std::uint64_t { none, parts, chunks };

// The processes of an MPI job, of which the first one decides how they share the work.
class sharing {
 public:
  explicit sharing(cli::job const& job) : members_(job.members()), decides_(members_ && job.is_first()) {}
  // The others end.
  ~sharing() {
    if (decides_) try {
        static_cast<void>(decide(division::none));
      } catch (...) {  // another process has failed, and ends this one
      }
  }
  sharing(sharing const&) = delete;
  sharing& operator=(sharing const&) = delete;

  // Returns the first process's decision. Collective.
  division decide(division decision) {
    decides_ = false;
    members_->broadcast(std::as_writable_bytes(std::span(&decision, 1)), 0);
    return decision;
  }
  // Begins again after a decision for parts that did not work.
  void reconsider() { decides_ = true; }
  [[nodiscard]] bool can_share() const { return decides_; }
  [[nodiscard]] communicator& members() const { return *members_; }

 private:
  communicator* members_;
  bool decides_;
};

// Returns true if the processes of a job can share the work, so that all write one file.
bool can_be_shared(work const& w, cli::input const& in, cli::output& out, spectra::sort_options const& options,
                   spectra::format from, spectra::format to) {
  if (from != spectra::format::mgf || to != spectra::format::mgf) return false;
  if (w.made.inputs[0] == "-" || in.compressed() || !in.size()) return false;
  if (w.duplicates || !w.made.report.empty() || !spectra::can_be_divided(options)) return false;
  return out.expect_unknown() && !out.path_for_others().empty();
}

// Returns true if the processes of a job can share the chunks of the inputs, so that the first one writes.
bool can_share_chunks(work const& w) {
  if (w.duplicates || !w.made.report.empty() || w.made.choice.sample_size()) return false;
  return std::ranges::all_of(w.made.inputs, [](std::string const& name) {  // pipes are not read by all
    std::error_code error;
    return name != "-" && std::filesystem::is_regular_file(name, error);
  });
}

// Sorts an input of any format.
spectra::sort_report sort_input(cli::input& in, sink& to, spectra::sort_options const& options, spectra::format format,
                                spectra::format to_format) {
  return format == spectra::format::mgf    ? spectra::sort(in, to, options)
         : format == spectra::format::mzml ? spectra::sort_mzml(in, to, options, to_format)
                                           : spectra::sort_to_mgf(in, to, options, format);
}

// Sorts MGF with the other processes of a job. @param out  null: another process has it
// @returns nothing if one process has to work alone, from the beginning
std::optional<spectra::sort_report> sort_together(communicator& members, cli::input const& in, cli::output* out,
                                                  spectra::sort_options const& options) {
  std::unique_ptr<cli::shared_output> part;
  auto const open = [&](std::optional<std::uint64_t> bytes) -> sink* {
    if (out && bytes) out->expect(*bytes);
    part = cli::shared_output::open(members, out);
    return out ? static_cast<sink*>(out) : part.get();
  };
  auto const result = spectra::sort(members, in, open, options);
  std::uint64_t const others = members.reduce(part && result ? result->own_bytes : 0, reduction::sum);
  if (!result) return std::nullopt;
  if (out) out->count_others(others);
  return result->sort;
}

// Returns true if the processes of a job can share an order, so that all write one file.
bool can_be_shared(work const& w, spectra::spectrum_inputs const& inputs, cli::output& out,
                   spectra::sort_options const& options, std::size_t num_members) {
  if (w.duplicates || !w.made.report.empty() || !spectra::can_be_divided(options, w.order)) return false;
  for (std::string const& name : w.made.inputs) {  // pipes are not opened twice
    std::error_code error;
    if (name == "-" || !std::filesystem::is_regular_file(name, error)) return false;
  }
  try {
    for (std::size_t k = 0; k < inputs.count; ++k) {
      auto const opened = inputs.open(k);
      char byte;  // an empty file has no addresses
      if (opened.from_format != spectra::format::mgf) return false;
      // A compressed file is read by one process.
      if (opened.packed_bytes != 0 ? inputs.count < num_members : !opened.from->size() && opened.from->read({&byte, 1}) != 0)
        return false;
    }
  } catch (error const&) {  // one process says what it is
    return false;
  }
  return out.expect_unknown() && !out.path_for_others().empty();
}

// Orders the spectra of MGF files with the other processes of a job. @param out  null: another process has it
// @returns nothing if one process has to work alone, from the beginning
std::optional<spectra::order_report> order_together(communicator& members, spectra::spectrum_inputs const& inputs,
                                                    cli::output* out, spectra::sort_options const& options,
                                                    spectra::order_options order, std::uint64_t& exchanged) {
  std::unique_ptr<cli::shared_output> part;
  auto const open = [&](std::optional<std::uint64_t> bytes) -> sink* {
    if (out) out->expect(*bytes);
    part = cli::shared_output::open(members, out);
    return out ? static_cast<sink*>(out) : part.get();
  };
  order.memory /= cli::members_on_host(members);
  auto result = spectra::order_spectra(members, inputs, open, options, order);
  std::uint64_t const others = members.reduce(part && result ? result->own_bytes : 0, reduction::sum);
  if (!result) return std::nullopt;
  if (out) out->count_others(others);
  exchanged = result->exchanged;
  if (options.on_warning)
    for (std::size_t k = 0; k < std::min<std::size_t>(result->warnings.size(), options.warnings_shown); ++k)
      options.on_warning(result->warnings[k]);
  return std::move(result->order);
}

int order(work& w, cli::stats& stats, std::vector<std::string> const& command_line, cli::progress& progress, sharing& others) {
  command const& made = w.made;
  spectra::sort_options options = options_of(w);
  options.on_progress = [&](std::uint64_t bytes) { progress.at(bytes); };
  find_sample(w, options, progress);
  find_duplicates(w, options, progress);
  std::optional<report_file> page = report_of_output(w, options, command_line, progress);
  progress.phase("sorting");
  spectra::format const to = format_of_ordered(made);
  std::optional<std::uint64_t> exchanged;  // with other processes
  specsort::order_together together;
  if (others.can_share())
    together = [&](spectra::spectrum_inputs const& inputs, cli::output* out) -> std::optional<spectra::order_report> {
      if (out && can_be_shared(w, inputs, *out, options, others.members().size())) {
        static_cast<void>(others.decide(division::parts));
        std::uint64_t sent = 0;
        auto done = order_together(others.members(), inputs, out, options, w.order, sent);
        if (done) {
          exchanged = sent;
          return done;
        }
        others.reconsider();
      }
      if (can_share_chunks(w)) {
        static_cast<void>(others.decide(division::chunks));
        options.members = &others.members();
        exchanged = 0;
      }
      return std::nullopt;
    };
  auto const result = specsort::order_files(
      made.inputs, w.lists, made.output, made.order.map, to, options, w.order, made.common,
      [&](spectra::sort_report const& done) { report(stats, done); }, together);
  if (exchanged) stats.add_members(others.members(), *exchanged);
  if (page) page->commit();
  progress.clear();
  report_totals(w, options, result.done, name_of_all(made));
  report_choice(w, result.done, name_of_all(made));
  stats.input(result.done.bytes);
  stats.finish();
  return 0;
}

// Works on chunks for the first process of a job.
spectra::sort_report help_with_chunks(work const& w, spectra::sort_options options) {
  command const& made = w.made;
  if (w.orders()) {
    spectra::format const to = format_of_ordered(made);
    return specsort::help_order_files(made.inputs, w.lists, to, options, w.order, made.common.threads).done;
  }
  cli::input in(made.inputs[0], made.common.threads);
  options.name = in.name();
  if (!in.compressed()) options.input_bytes = in.file_size().value_or(0);
  spectra::format const format = specsort::format_of_input(in);
  specsort::no_output none;
  return sort_input(in, none, options, format, specsort::format_of_output(made.output, made.to, in, format));
}

// Works as another process than the first one of a job.
int help(int argc, char** argv, cli::job const& job) {
  division shared = sharing(job).decide(division::none);
  if (shared == division::none) return 0;
  command made;
  cli::command_table const table = specsort::make_table(made);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  made.common.quiet = true;
  made.common.stats.clear();
  work const w = checked(made);
  cli::stats stats(tool, argc, argv, made.common);
  spectra::sort_options options = options_of(w);
  std::optional<spectra::sort_report> done;
  std::uint64_t exchanged = 0;
  while (!done && shared != division::none) {
    if (shared == division::chunks) {
      options.members = job.members();
      try {
        done = help_with_chunks(w, options);
      } catch (member_lost const&) {  // the first process says why
        return 0;
      }
      exchanged = done->sent;
    } else if (w.orders()) {
      auto const inputs = specsort::inputs_of(made.inputs, w.lists, made.common.threads, false);
      if (auto const result = order_together(*job.members(), inputs, nullptr, options, w.order, exchanged)) done = result->done;
    } else {
      cli::input const in(made.inputs[0], made.common.threads);
      options.name = in.name();
      options.input_bytes = in.file_size().value_or(0);
      done = sort_together(*job.members(), in, nullptr, options);
    }
    if (!done) shared = sharing(job).decide(division::none);
  }
  if (!done) return 0;
  report(stats, *done);
  stats.add_members(*job.members(), exchanged);
  return 0;
}

int run(int argc, char** argv, cli::job const& job) {
  if (!job.is_first()) return help(argc, argv, job);
  sharing others(job);
  command made;
  cli::command_table const table = specsort::make_table(made);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  refuse_conflicts(made);
  if (made.explain) {
    fmt::print("{}", specsort::explained(made));
    return 0;
  }
  work w = checked(made);

  made.common.check_machine();
  cli::stats stats(tool, argc, argv, made.common);
  stats.refuse_inputs(made.inputs);
  cli::progress progress(tool, made.common, made.inputs, made.writes() ? made.output : "");
  std::vector<std::string> command_line{std::string(tool)};
  command_line.insert(command_line.end(), argv + 1, argv + argc);
  if (w.orders()) return order(w, stats, command_line, progress, others);
  spectra::sort_options options = options_of(w);
  find_sample(w, options, progress);
  find_duplicates(w, options, progress);
  std::optional<report_file> page = report_of_output(w, options, command_line, progress);
  refuse_instrument_folder(made.inputs[0]);
  cli::input in(made.inputs[0], made.common.threads);
  options.name = in.name();
  if (!in.compressed()) options.input_bytes = in.file_size().value_or(0);  // inflating is too slow for a GPU to pay
  spectra::format const format = specsort::format_of_input(in),
                        to_format = specsort::format_of_output(made.output, made.to, in, format);
  options.on_progress = [&](std::uint64_t bytes) { progress.at(bytes); };
  progress.phase(made.check ? "checking" : made.writes() ? "sorting" : "reading", options.input_bytes);

  int status = 0;
  spectra::sort_report done;
  if (made.check) {
    auto const [first, looked_at] = spectra::check(in, options, format);
    done = looked_at;
    for (auto const& phase : done.phases) stats.overlapping(phase.name, phase.seconds, phase.waited, phase.bytes);
    if (first) {
      status = 1;
      cli::print_result(fmt::format("{}: {}:{}: disorder: spectrum {}{}: {}\n", tool, options.name, first->line,
                                    first->spectrum, first->title.empty() ? "" : fmt::format(" '{}'", first->title),
                                    first->peak));
    }
  } else if (!made.writes()) {
    done = summarize(w, in, options, format, command_line, progress);
  } else {
    std::optional<cli::output> out(std::in_place, made.output, made.common.threads);
    out->refuse_loop(in);
    if (to_format != format) out->refuse_inputs(made.inputs);  // they would not be there in another order, but converted
    std::optional<spectra::sort_report> shared;
    if (others.can_share() && can_be_shared(w, in, *out, options, format, to_format)) {
      static_cast<void>(others.decide(division::parts));
      shared = sort_together(others.members(), in, &*out, options);
      if (!shared) {
        others.reconsider();
        out.reset();
        out.emplace(made.output, made.common.threads);
      }
    }
    if (shared) {
      done = *shared;
      if (done.spectra == 0 && options.on_warning) options.on_warning(options.name + ": there are no spectra");
      report(stats, done);
    } else {
      if (others.can_share() && can_share_chunks(w)) {
        static_cast<void>(others.decide(division::chunks));
        options.members = &others.members();
      }
      prompt_output to(*out);
      done = sort_input(in, to, options, format, to_format);
      report(stats, done);
    }
    out->commit();
    if (shared || options.members) stats.add_members(others.members(), 0);
    if (page) page->commit();
    report_choice(w, done, options.name);
  }
  progress.clear();
  report_totals(w, options, done, options.name);
  stats.input(done.bytes);
  stats.finish();
  return status;
}

}  // namespace

int ordo::programs::specsort(int argc, char** argv) {
  return cli::run_main(tool, [&] {
    cli::job job(argc, argv);
    return job.run(tool, [&] { return run(argc, argv, job); });
  });
}
