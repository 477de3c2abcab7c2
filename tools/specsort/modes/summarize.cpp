#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ordo/spectra/import.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/prompt_output.hpp"
#include "tools/specsort/summary_text.hpp"

namespace ordo::inline v0::specsort {
namespace {

// Summarizes one input as it is and, with filters, another format or a page, as it would be written.
// @param compares  also without these @returns whether it did so, in `compares`
named_summary summarize_one(work& w, session& here, report_file const* page, bool& compares) {
  spectra::sort_options read = make_sort_options(w);
  complete_options(w, read, here);
  refuse_instrument_folder(w.made.inputs[0]);
  single_input one(w, std::move(read));
  cli::input& in = one.in;
  spectra::sort_options& options = one.options;
  static_cast<void>(format_of_output(w.made.output, w.made.to, in, one.format));  // refuses what cannot be written
  options.on_progress = [&](std::uint64_t bytes) { here.progress.at(bytes); };
  here.begin("reading", options.input_bytes);

  std::optional<spectra::format> to;  // --to, which a command that writes has
  if (!w.made.to.empty()) to = format_of_output({}, w.made.to, in, one.format);
  compares = compares || page || w.made.choice.any() || !w.select.empty() || (to && *to != one.format);
  if (page) {
    page->out().refuse_loop(in);
    options.distributions = true;
  }
  named_summary result{options.name, {}};
  if (compares)
    result.of = spectra::compare(in, options, one.format, to);
  else
    result.of.before = spectra::summarize(in, options, one.format);
  spectra::sort_report done;
  done.bytes = result.of.before.bytes;
  done.warnings = result.of.before.warnings;
  if (compares) {
    done.spectra = result.of.before.spectra;
    done.spectra_kept = result.of.after.spectra;
    report_choice(w, done, options.name);
  }
  finish(w, options, done, here);
  return result;
}

}  // namespace

int summarize(work& w, session& here) {
  command const& made = w.made;
  bool const json = made.summary == "json", are_several = made.inputs.size() > 1;
  bool compares = are_several && (made.choice.any() || !w.select.empty() || !made.to.empty());  // so that rows are alike
  std::optional<report_file> page;
  if (!made.report.empty()) page.emplace(made);
  std::vector<named_summary> all;
  std::size_t const failed = for_each_input(w, here, [&](work& input, command&, std::size_t) {
    all.push_back(summarize_one(input, here, page ? &*page : nullptr, compares));
  });
  if (page) {
    page->write(add_up(all), are_several ? name_of_all(made) : all[0].name, here.command_line);
    page->commit();
  } else if (are_several) {
    fmt::print("{}", json ? summaries_json(all, compares) : summaries_table(all, compares));
  } else if (compares) {
    fmt::print("{}", json ? comparison_json(all[0].of, all[0].name) : comparison_table(all[0].of, all[0].name));
  } else {
    fmt::print("{}", json ? summary_json(all[0].of.before, all[0].name) : summary_table(all[0].of.before, all[0].name));
  }
  return failed == 0 ? 0 : 2;
}

}  // namespace ordo::inline v0::specsort
