#include <cstdint>
#include <optional>
#include <utility>

#include "base/streams.hpp"
#include "ordo/spectra/order.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/order_files.hpp"
#include "tools/specsort/prompt_output.hpp"

namespace ordo::inline v0::specsort {
namespace {

// Works on chunks for the first process of a job.
spectra::sort_report help_with_chunks(work const& w, spectra::sort_options options) {
  command const& made = w.made;
  if (w.orders()) {
    spectra::format const to = format_of_ordered(made);
    return help_order_files(made.inputs, w.lists, to, options, w.order, made.common.threads).done;
  }
  single_input opened(w, std::move(options));
  null_sink none;
  return sort_input(opened.in, none, opened.options, opened.format, format_of_output(made.output, made.to, opened.in, opened.format));
}

}  // namespace

int help(int argc, char** argv, cli::job const& job) {
  division shared = sharing(job).decide(division::none);
  if (shared == division::none) return 0;
  command made;
  cli::command_table const table = make_table(made);
  if (auto const status = cli::parse(table, argc, argv).status) return *status;
  made.common.quiet = true;
  made.common.stats.clear();
  work const w = checked(made);
  cli::stats stats(tool, argc, argv, made.common);
  spectra::sort_options options = make_sort_options(w);
  if (!made.order.map.empty()) options.on_dropped = [](auto const&) {};  // the first process writes what this one finds
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
      auto const inputs = open_inputs(made.inputs, w.lists, made.common.threads, false);
      if (auto const result = order_with_members(*job.members(), inputs, nullptr, options, w.order, exchanged))
        done = result->done;
    } else {
      cli::input const in(made.inputs[0], made.common.threads);
      options.name = in.name();
      options.input_bytes = in.file_size().value_or(0);
      done = sort_with_members(*job.members(), in, nullptr, options);
    }
    if (!done) shared = sharing(job).decide(division::none);
  }
  if (!done) return 0;
  report_phases(stats, *done);
  stats.add_members(*job.members(), exchanged);
  return 0;
}

}  // namespace ordo::inline v0::specsort
