#include "tools/specsort/work.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/import.hpp"
#include "tools/cli/files/shared_output.hpp"
#include "tools/cli/files/temporary.hpp"
#include "tools/cli/output_folder.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/order_files.hpp"
#include "tools/specsort/prompt_output.hpp"
#include "tools/specsort/report_page.hpp"

namespace ordo::inline v0::specsort {
namespace {

// Refuses a folder as output. There is one output, of all inputs.
void refuse_folder_output(command const& made) {
  std::error_code error;
  if (!made.output.ends_with('/') && !std::filesystem::is_directory(made.output, error)) return;
  std::string const folder = made.output.substr(0, made.output.find_last_not_of('/') + 1);
  std::string_view const several =
      made.inputs.size() > 1 ? "; several inputs become one file: to keep them apart, use --out-dir" : "";
  throw usage_error(fmt::format("cannot write: {}: it is a folder, and the output is a file: name it, as {}/{}{}", made.output,
                                folder,
                                made.to == "mzml"            ? "sorted.mzML"
                                : made.to.starts_with("msp") ? "sorted.msp"
                                : made.to == "mzspeclib"     ? "sorted.mzspeclib"
                                                             : "sorted.mgf",
                                several));
}

// Reads the inputs to find the sample, if it is a number of spectra.
void find_sample(work const& w, spectra::sort_options& options, session& here) {
  auto const count = w.made.choice.sample_size();
  if (!count) return;
  here.begin("sampling");
  options.choice.sample = spectra::find_sample(open_inputs(w.made.inputs, w.lists, w.made.common.threads, true), options,
                                               *count, w.made.choice.seed_value());
  options.choice.sample->inverse = w.made.choice.inverse_sample();
}

// Reads the inputs to find the spectra that repeat others.
void find_duplicates(work& w, spectra::sort_options& options, session& here) {
  if (!w.duplicates) return;
  here.begin("comparing");
  w.lists.duplicates = spectra::find_duplicates(open_inputs(w.made.inputs, w.lists, w.made.common.threads, true), options,
                                                *w.duplicates, w.order);
  options.choice.duplicates_text = w.made.choice.unique;
  options.choice.duplicates = w.lists.duplicates_in(0);
}

// Writes the pairs of similar spectra, and finds those that another one represents.
void find_represented(work& w, spectra::sort_options& options, session& here) {
  std::vector<std::vector<std::uint64_t>> numbers;
  compared_spectra const compared = compare_spectra(w, options, here, numbers);
  if (w.made.similarity.clusters.empty()) return;
  std::uint64_t spectrum = 0;
  for (auto const& some : numbers) {
    std::vector<std::uint64_t> left_out;
    for (std::uint64_t const number : some) {
      if (compared.clusters[spectrum] != spectrum) left_out.push_back(number);
      ++spectrum;
    }
    w.lists.duplicates.push_back(std::make_shared<std::vector<std::uint64_t> const>(std::move(left_out)));
  }
  options.choice.duplicates_option = "--clusters";
  options.choice.duplicates_text = w.made.similarity.clusters;
  options.choice.duplicates = w.lists.duplicates_in(0);
}

}  // namespace

work checked(command const& made) {
  if (made.inputs.empty()) throw usage_error("missing operand: FILE: see specsort --help");
  bool const writes = made.writes();
  std::string to_standard_output;
  for (auto const& [name, is_there] :
       {std::pair("--output", writes && made.out_dir.empty() && made.output == "-"), std::pair("--map", made.order.map == "-"),
        std::pair("--pairs", made.similarity.pairs == "-"), std::pair("--report", made.report == "-")}) {
    if (!is_there) continue;
    if (!to_standard_output.empty())
      throw usage_error(fmt::format("conflicting options: {}, {}: both would be standard output", to_standard_output, name));
    to_standard_output = name;
  }
  if (made.inputs.size() > 1 && made.check)
    throw usage_error(fmt::format("several inputs: {}: --check reads one", made.inputs[1]));
  if (!made.out_dir.empty() && std::ranges::find(made.inputs, "-") != made.inputs.end())
    throw usage_error("standard input has no name: --out-dir: -: give the name of the output by --output");
  work w{made,
         made.choice.choice(),
         made.selection.selection(),
         made.order.order(made.inputs.size() > 1 && writes && made.out_dir.empty(),
                          !made.choice.unique.empty() || made.similarity.any()),
         {made.choice.index, made.choice.psms, made.inputs},
         made.choice.duplicates()};
  spectra::check_title_template(made.title_template);
  made.similarity.check();
  static_cast<void>(made.encoding());
  if (!made.choice.filter_ms_level.empty() && w.select.empty())
    throw usage_error("missing option: --filter-ms-level: it needs an option that filters peaks, such as --top");
  if (made.similarity.makes_consensus())
    for (auto const& [name, given] :
         {std::pair("--out-dir", !made.out_dir.empty()), std::pair("--map", !made.order.map.empty()),
          std::pair("--renumber", made.order.renumber), std::pair("--spectra-by", made.order.any()),
          std::pair("--split-by", !made.order.split_by.empty()), std::pair("--title-template", !made.title_template.empty())})
      if (given)
        throw usage_error(fmt::format("conflicting options: --clusters, {}: '{}' makes new spectra, in one output", name,
                                      made.similarity.clusters));
  if (writes && made.out_dir.empty()) refuse_folder_output(made);
  if ((made.order.splits() || !made.order.split_by.empty()) && made.output == "-")
    throw usage_error("missing option: --output: standard output has no parts");
  if (made.check && !w.select.empty())
    throw usage_error("conflicting options: --check: it reads all peaks, of which other options drop some");
  return w;
}

spectra::sort_options make_sort_options(work const& w) {
  command const& made = w.made;
  spectra::sort_options options;
  options.by = made.key();
  options.choice = w.choice;
  if (w.made.inputs.size() == 1) {
    options.choice.numbers = w.lists.of_input(0);
    options.choice.named = w.lists.named_in(0);
  }
  options.title_template = made.title_template;
  options.encoding = made.encoding();
  options.select = w.select;
  options.select_levels = made.choice.select_levels();
  options.keep_metadata = made.keep_metadata;
  if (!made.isolation_target.empty())
    options.isolation =
        made.isolation_target == "never" ? spectra::isolation_target::ignore : spectra::isolation_target::fallback;
  options.all_precursors = made.precursors == "all";
  options.descending = made.descending;
  options.lenient = made.lenient;
  if (made.to == "msp-massbank") options.names = spectra::msp_style::massbank;
  if (made.to == "msp-matchms") options.names = spectra::msp_style::matchms;
  if (!made.rt_unit.empty()) options.rt_unit_seconds = made.rt_unit == "min" ? 60 : 1;
  options.machine = made.common.machine();
  options.temporary_folder = cli::temporary_folder();
  if (!made.common.quiet) options.on_warning = [](std::string const& message) { cli::say(tool, "warning: " + message); };
  return options;
}

void complete_options(work& w, spectra::sort_options& options, session& here) {
  find_sample(w, options, here);
  find_duplicates(w, options, here);
  if (w.made.similarity.any() && !w.made.similarity.makes_consensus()) find_represented(w, options, here);
}

compared_spectra compare_spectra(work const& w, spectra::sort_options const& options, session& here,
                                 std::vector<std::vector<std::uint64_t>>& numbers) {
  similarity_options const& similarity = w.made.similarity;
  bool const is_read_again = w.made.writes() && !similarity.makes_consensus();
  here.begin("reading");
  auto const inputs = open_inputs(w.made.inputs, w.lists, w.made.common.threads, is_read_again);
  if (!similarity.pairs.empty()) here.pairs.emplace(similarity.pairs, w.made);
  compared_spectra done{spectra::read_selected(inputs, options, w.order, numbers), {}};
  here.begin("comparing");
  auto const pairs = spectra::find_pairs({done.all.mz, done.all.intensity, done.all.offsets, done.all.precursor_mz},
                                         similarity.rule(), options.machine);
  if (!similarity.clusters.empty()) done.clusters = spectra::find_clusters(done.all.size(), pairs, similarity.method());
  if (here.pairs) here.pairs->write(pairs, done.all, done.clusters, numbers);
  return done;
}

single_input::single_input(work const& w, spectra::sort_options given)
    : in(w.made.inputs[0], w.made.common.threads), options(std::move(given)), format(format_of_input(in)) {
  options.name = in.name();
  if (in.id() && w.made.inputs[0] != "-") options.path = w.made.inputs[0];
  if (!in.compressed()) options.input_bytes = in.file_size().value_or(0);  // inflating is too slow for a GPU to pay
}

std::size_t for_each_input(work const& w, session& here, std::function<void(work&, command&, std::size_t k)> const& task) {
  std::size_t const count = w.made.inputs.size();
  return cli::run_each(tool, count, [&](std::size_t k) {
    command alone = w.made;
    alone.inputs = {w.made.inputs[k]};
    work one{alone, w.choice, w.select, w.order, w.lists.only(k), w.duplicates};
    if (count > 1) here.file = fmt::format("{} of {}", k + 1, count);
    task(one, alone, k);
  });
}

spectra::format format_of_ordered(command const& made) {
  auto const named = format_of_output(made.output, made.to);
  if (named || made.order.any() || made.inputs.size() > 1) return named.value_or(spectra::format::mgf);
  cli::input in(made.inputs[0], made.common.threads);
  if (made.inputs[0] == "-" || !in.id())
    throw usage_error(fmt::format(
        "missing option: --to: {}: with --map and --renumber, it states the format of the output of a pipe", in.name()));
  return format_of_output(made.output, made.to, in, format_of_input(in));
}

void refuse_titles(command const& made, spectra::format to) {
  if (to != spectra::format::mzml && !made.encode.empty())
    throw usage_error(fmt::format("mzML only: --encode: '{}': the output has no arrays; choose --to=mzml", made.encode));
  if (to == spectra::format::mzspeclib && made.order.renumber)
    throw usage_error("MGF and MSP only: --renumber: the keys of spectra of mzSpecLib are always made anew");
  if (to != spectra::format::mzml) return;
  for (auto const& [name, given] :
       {std::pair("--title-template", !made.title_template.empty()), std::pair("--renumber", made.order.renumber)})
    if (given)
      throw usage_error(fmt::format("MGF and MSP only: {}: spectra of mzML have ids, which other elements refer to", name));
}

std::string name_of_all(command const& made) {
  return made.inputs.size() == 1 ? made.inputs[0] : "all inputs";
}

report_file::report_file(command const& made) : out_(made.report, made.common.threads) {
  for (std::string const& input : made.inputs)
    if (out_.is_file(input))
      throw usage_error(fmt::format("cannot write: --report {}: it would replace the input {}", made.report, input));
}

void report_file::write(spectra::comparison const& comparison, std::string_view name, std::vector<std::string> const& command) {
  out_.write(std::string_view(report_page(comparison, name, command)));
  out_.finish();
}

std::optional<report_file> report_of_output(work const& w, spectra::sort_options options, session& here) {
  std::optional<report_file> page;
  if (w.made.report.empty() || !w.made.has_output) return page;
  page.emplace(w.made);
  here.begin("reading");
  options.distributions = true;
  auto const inputs = open_inputs(w.made.inputs, w.lists, w.made.common.threads, true);
  std::optional<spectra::format> to = format_of_output(w.made.output, w.made.to);
  // Without a name: one input of mzML stays that.
  if (!to)
    to = !w.orders() && inputs.open(0).from_format == spectra::format::mzml ? spectra::format::mzml : spectra::format::mgf;
  page->write(spectra::compare(inputs, options, to), name_of_all(w.made), here.command_line);
  return page;
}

void add_phases(cli::stats& stats, spectra::sort_report const& done) {
  for (auto const& phase : done.phases) stats.overlapping(phase.name, phase.seconds, phase.waited, phase.bytes);
}

void report_phases(cli::stats& stats, spectra::sort_report const& done) {
  add_phases(stats, done);
  stats.phase("commit");
  stats.machine(done.machine);
  stats.device_memory(done.device_memory);
}

void report_totals(work const& w, spectra::sort_options const& options, spectra::sort_report const& done,
                   std::string const& name) {
  if (done.warnings > options.warnings_shown && options.on_warning)
    cli::say(tool, fmt::format("warning: {}: {}", name, quantity(done.warnings - options.warnings_shown, "more warning")));
  if (done.missing_precursor != 0 && !w.made.common.quiet)
    cli::say(tool, fmt::format("warning: {}: {} the precursor's m/z{}", name,
                               quantity(done.missing_precursor, "spectrum lacks", "spectra lack"),
                               w.select.all_charges ? " or its charge" : ""));
}

void report_choice(work const& w, spectra::sort_report const& done, std::string const& name) {
  bool const chooses = w.made.choice.any() || w.select.min_peaks != 0;
  if (chooses && done.spectra != 0 && done.spectra_kept == 0 && !w.made.common.quiet)
    cli::say(tool, fmt::format("warning: {}: none of {} is left", name, quantity(done.spectra, "spectrum", "spectra")));
}

void finish(work const& w, spectra::sort_options const& options, spectra::sort_report const& done, session& here) {
  here.progress.clear();
  report_totals(w, options, done, options.name);
  here.stats.input(done.bytes);
}

spectra::sort_report sort_input(cli::input& in, sink& to, spectra::sort_options const& options, spectra::format format,
                                spectra::format to_format) {
  return format == spectra::format::mgf && to_format == format ? spectra::sort(in, to, options)
         : to_format == spectra::format::msp                   ? spectra::sort_to_msp(in, to, options, format)
         : to_format == spectra::format::mzspeclib             ? spectra::sort_to_mzspeclib(in, to, options, format)
         : to_format == spectra::format::mzml                  ? spectra::sort_to_mzml(in, to, options, format)
         : format == spectra::format::mzml                     ? spectra::sort_mzml(in, to, options, to_format)
                                                               : spectra::sort_to_mgf(in, to, options, format);
}

std::optional<spectra::sort_report> sort_with_members(communicator& members, cli::input const& in, cli::output* out,
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

std::optional<spectra::order_report> order_with_members(communicator& members, spectra::spectrum_inputs const& inputs,
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

bool can_share_chunks(work const& w) {
  if (w.compares() || !w.made.report.empty() || w.made.choice.sample_size()) return false;
  return std::ranges::all_of(w.made.inputs, [](std::string const& name) {  // pipes are not read by all
    std::error_code error;
    return name != "-" && std::filesystem::is_regular_file(name, error);
  });
}

}  // namespace ordo::inline v0::specsort
