#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "ordo/error.hpp"
#include "ordo/spectra/order.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/order_files.hpp"

namespace ordo::inline v0::specsort {
namespace {

// Returns true if the processes of a job can share an order, so that all write one file.
bool can_be_shared(work const& w, spectra::spectrum_inputs const& inputs, cli::output& out,
                   spectra::sort_options const& options, std::size_t num_members) {
  if (w.compares() || !w.made.report.empty() || !spectra::can_be_divided(options, w.order)) return false;
  if (!w.made.title_template.empty() || !w.made.choice.psms.empty() || w.made.order.renumber) return false;
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

}  // namespace

int order(work& w, session& here) {
  command const& made = w.made;
  spectra::sort_options options = make_sort_options(w);
  options.on_progress = [&](std::uint64_t bytes) { here.progress.at(bytes); };
  complete_options(w, options, here);
  std::optional<report_file> page = report_of_output(w, options, here);
  here.begin("sorting");
  spectra::format const to = format_of_ordered(made);
  refuse_titles(made, to);
  std::optional<std::uint64_t> exchanged;  // with other processes
  order_together together;
  if (here.others.can_share())
    together = [&](spectra::spectrum_inputs const& inputs, cli::output* out) -> std::optional<spectra::order_report> {
      if (out && can_be_shared(w, inputs, *out, options, here.others.members().size())) {
        static_cast<void>(here.others.decide(division::parts));
        std::uint64_t sent = 0;
        auto done = order_with_members(here.others.members(), inputs, out, options, w.order, sent);
        if (done) {
          exchanged = sent;
          return done;
        }
        here.others.reconsider();
      }
      if (can_share_chunks(w)) {
        static_cast<void>(here.others.decide(division::chunks));
        options.members = &here.others.members();
        exchanged = 0;
      }
      return std::nullopt;
    };
  auto const result = order_files(
      made.inputs, w.lists, made.output, made.order.map, made.order.renumber, to, options, w.order, made.common,
      [&](spectra::sort_report const& done) { report_phases(here.stats, done); }, together);
  if (exchanged) here.stats.add_members(here.others.members(), *exchanged);
  if (page) page->commit();
  here.progress.clear();
  report_totals(w, options, result.done, name_of_all(made));
  report_choice(w, result.done, name_of_all(made));
  here.stats.input(result.done.bytes);
  return 0;
}

}  // namespace ordo::inline v0::specsort
