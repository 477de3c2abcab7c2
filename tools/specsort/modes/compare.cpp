#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "tools/specsort/formats.hpp"
#include "tools/specsort/modes.hpp"
#include "tools/specsort/order_files.hpp"
#include "tools/specsort/prompt_output.hpp"

namespace ordo::inline v0::specsort {
namespace {

// Reads and compares all inputs. @returns the spectra, and the number of bytes read
compared_spectra compare_all(work& w, session& here) {
  if (here.others.can_share()) static_cast<void>(here.others.decide(division::none));  // this process works alone
  spectra::sort_options options = make_sort_options(w);
  complete_options(w, options, here);
  std::vector<std::vector<std::uint64_t>> numbers;
  return w.made.similarity.makes_consensus() ? compare_spectra(w, options, here, numbers) : compared_spectra{};
}

}  // namespace

int compare(work& w, session& here) {
  static_cast<void>(compare_all(w, here));
  return 0;
}

int write_consensus(work& w, session& here) {
  command const& made = w.made;
  spectra::format const to = format_of_output(made.output, made.to).value_or(spectra::format::mgf);
  if (to == spectra::format::mzml)
    throw usage_error(fmt::format("MGF, MSP and mzSpecLib only: --clusters: '{}' makes spectra that mzML has no place for",
                                  made.similarity.clusters));
  cli::output out(made.output, made.common.threads);
  out.refuse_inputs(made.inputs);
  compared_spectra const compared = compare_all(w, here);
  here.begin("writing");
  prompt_output direct(out);
  spectra::write_spectra(spectra::make_consensus(compared.all, compared.clusters, made.similarity.rule().peaks), direct, to,
                         make_sort_options(w));
  out.finish();
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::specsort
