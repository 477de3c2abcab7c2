#include <string>
#include <vector>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/cli/parts.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/order_files.hpp"

namespace ordo::inline v0::specsort {
int split_by_voltage(work& w, session& here) {
  if (here.others.can_share()) static_cast<void>(here.others.decide(division::none));  // this process works alone
  spectra::sort_options options = make_sort_options(w);
  here.begin("reading");
  std::vector<double> const voltages =
      spectra::find_compensation_voltages(open_inputs(w.made.inputs, w.lists, w.made.common.threads, true), options);
  if (voltages.empty())
    throw input_error(
        fmt::format("no compensation voltages: {}: no spectrum that is chosen states one", w.made.inputs.front()));
  for (double const voltage : voltages) {
    command one = w.made;
    one.output = cli::name_with(w.made.output, fmt::format("cv{}", voltage));
    one.order.split_by.clear();
    one.choice.faims_cv = fmt::format("{}", voltage);
    work part{one, one.choice.choice(), w.select, w.order, w.lists, w.duplicates};
    static_cast<void>(part.orders() ? order(part, here) : sort_file(part, here));
  }
  return 0;
}

}  // namespace ordo::inline v0::specsort
