#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ordo/spectra/import.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/summary_text.hpp"

namespace ordo::inline v0::specsort {

int summarize(work& w, session& here) {
  spectra::sort_options read = make_sort_options(w);
  complete_options(w, read, here);
  refuse_instrument_folder(w.made.inputs[0]);
  single_input one(w, std::move(read));
  cli::input& in = one.in;
  spectra::sort_options& options = one.options;
  spectra::format const format = one.format;
  static_cast<void>(format_of_output(w.made.output, w.made.to, in, format));  // refuses what cannot be written
  options.on_progress = [&](std::uint64_t bytes) { here.progress.at(bytes); };
  here.progress.phase("reading", options.input_bytes);

  std::optional<spectra::format> to;  // --to, which a command that writes has
  if (!w.made.to.empty()) to = format_of_output({}, w.made.to, in, format);
  bool const json = w.made.summary == "json", filters = w.made.choice.any() || !w.select.empty() || (to && *to != format);
  std::optional<report_file> page;
  if (!w.made.report.empty()) {
    page.emplace(w.made);
    page->out().refuse_loop(in);
    options.distributions = true;
  }
  spectra::sort_report done;
  auto const report_size = [&](spectra::summary const& all) {
    done.bytes = all.bytes;
    done.warnings = all.warnings;
    here.progress.clear();
  };
  if (page || filters) {
    spectra::comparison const comparison = spectra::compare(in, options, format, to);
    report_size(comparison.before);
    if (page) {
      page->write(comparison, options.name, here.command_line);
      page->commit();
    } else {
      fmt::print("{}", json ? comparison_json(comparison, options.name) : comparison_table(comparison, options.name));
    }
    done.spectra = comparison.before.spectra;
    done.spectra_kept = comparison.after.spectra;
    report_choice(w, done, options.name);
  } else {
    spectra::summary const summary = spectra::summarize(in, options, format);
    report_size(summary);
    fmt::print("{}", json ? summary_json(summary, options.name) : summary_table(summary, options.name));
  }
  finish(w, options, done, here);
  return 0;
}

}  // namespace ordo::inline v0::specsort
