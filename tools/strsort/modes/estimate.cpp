#include <memory>
#include <span>
#include <string>

#include <fmt/format.h>

#include "ordo/strings/distinct.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/progress.hpp"
#include "tools/strsort/inputs.hpp"
#include "tools/strsort/modes.hpp"

namespace ordo::inline v0::strsort {

int estimate(work const& w, cli::stats& stats) {
  command const& made = w.made;
  for (std::string const& file : made.files) must_be_readable(file, "cannot read");
  cli::output out(made.output.value_or("-"), made.common.threads);
  out.refuse_inputs(made.files);  // a number is no sorted form of them
  if (made.files_from) out.refuse_inputs(std::span(&*made.files_from, 1));
  cli::progress progress(w.called.name(), made.common, made.files, made.output.value_or("-"));
  strings::texts const files{made.files.size(), known_bytes(made.files),
                             [&](std::size_t k) { return cli::watched(w.inputs.open(k), progress, w.read); }};
  progress.phase("reading", files.bytes);
  stats.phase("read");
  auto const distinct = strings::estimate_distinct(files, w.options());
  stats.bytes(distinct.bytes);
  stats.input(distinct.bytes);
  out.write(fmt::format("{}\n", distinct.lines));
  out.commit();
  return 0;
}

}  // namespace ordo::inline v0::strsort
