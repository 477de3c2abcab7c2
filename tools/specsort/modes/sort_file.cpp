#include <optional>

#include "tools/specsort/formats.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/prompt_output.hpp"

namespace ordo::inline v0::specsort {
namespace {

// Returns true if the processes of a job can share the work, so that all write one file.
bool can_be_shared(work const& w, cli::input const& in, cli::output& out, spectra::sort_options const& options,
                   spectra::format from, spectra::format to) {
  if (from != spectra::format::mgf || to != spectra::format::mgf) return false;
  if (w.made.inputs[0] == "-" || in.compressed() || !in.size()) return false;
  if (w.compares() || !w.made.report.empty() || !spectra::can_be_divided(options)) return false;
  if (!w.made.title_template.empty() || !w.made.choice.psms.empty()) return false;
  return out.expect_unknown() && !out.path_for_others().empty();
}

}  // namespace

int sort_file(work& w, session& here) {
  command const& made = w.made;
  spectra::sort_options read = make_sort_options(w);
  complete_options(w, read, here);
  std::optional<report_file> page = report_of_output(w, read, here);
  refuse_instrument_folder(made.inputs[0]);
  single_input opened(w, std::move(read));
  spectra::sort_options& options = opened.options;
  spectra::format const to_format = format_of_output(made.output, made.to, opened.in, opened.format);
  refuse_titles(made, to_format);
  options.on_progress = [&](std::uint64_t bytes) { here.progress.at(bytes); };
  here.begin("sorting", options.input_bytes);
  std::optional<cli::output> out(std::in_place, made.output, made.common.threads);
  out->refuse_loop(opened.in);
  if (to_format != opened.format) out->refuse_inputs(made.inputs);  // they would not be there in another order, but converted

  spectra::sort_report done;
  std::optional<spectra::sort_report> shared;
  if (here.others.can_share() && can_be_shared(w, opened.in, *out, options, opened.format, to_format)) {
    static_cast<void>(here.others.decide(division::parts));
    shared = sort_with_members(here.others.members(), opened.in, &*out, options);
    if (!shared) {
      here.others.reconsider();
      out.reset();
      out.emplace(made.output, made.common.threads);
    }
  }
  if (shared) {
    done = *shared;
    if (done.spectra == 0 && options.on_warning) options.on_warning(options.name + ": there are no spectra");
  } else {
    if (here.others.can_share() && can_share_chunks(w)) {
      static_cast<void>(here.others.decide(division::chunks));
      options.members = &here.others.members();
    }
    prompt_output to(*out);
    done = sort_input(opened.in, to, options, opened.format, to_format);
  }
  report_phases(here.stats, done);
  out->commit();
  if (shared || options.members) here.stats.add_members(here.others.members(), 0);
  if (page) page->commit();
  report_choice(w, done, options.name);
  finish(w, options, done, here);
  return 0;
}

}  // namespace ordo::inline v0::specsort
