#include <utility>

#include <fmt/format.h>

#include "ordo/spectra/import.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/prompt_output.hpp"

namespace ordo::inline v0::specsort {

int check(work& w, session& here) {
  refuse_instrument_folder(w.made.inputs[0]);
  single_input one(w, make_sort_options(w));
  static_cast<void>(format_of_output(w.made.output, w.made.to, one.in, one.format));  // refuses what cannot be written
  one.options.on_progress = [&](std::uint64_t bytes) { here.progress.at(bytes); };
  here.progress.phase("checking", one.options.input_bytes);
  auto const [first, done] = spectra::check(one.in, one.options, one.format);
  add_phases(here.stats, done);
  if (first)
    cli::print_result(fmt::format("{}: {}:{}: disorder: spectrum {}{}: {}\n", tool, one.options.name, first->line,
                                  first->spectrum, first->title.empty() ? "" : fmt::format(" '{}'", first->title),
                                  first->peak));
  finish(w, one.options, done, here);
  return first ? 1 : 0;
}

}  // namespace ordo::inline v0::specsort
