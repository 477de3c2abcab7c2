#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ordo/io.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run_main.hpp"
#include "tools/strsort/inputs.hpp"
#include "tools/strsort/modes.hpp"

namespace ordo::inline v0::strsort {

int check(work const& w, cli::stats& stats) {
  command const& made = w.made;
  std::string const& path = made.files.front();
  must_be_readable(path, "open failed");
  cli::progress progress(w.called.name(), made.common, made.files, "");
  std::unique_ptr<source> const in = w.inputs.open(0);
  progress.phase("checking", known_bytes(made.files));
  stats.phase("check");
  strings::order_check order(w.options(), made.unique);
  std::vector<char> block(std::size_t{1} << 20);
  bool in_order = true;
  for (std::size_t got = block.size(); in_order && got == block.size();) {
    got = in->read(block);
    stats.input(got);
    stats.bytes(got);
    in_order = order.feed({block.data(), got}) && (got == block.size() || order.finish());
    progress.at(w.read);
  }
  if (in_order) return 0;
  if (made.check == 'c')
    cli::print_result(fmt::format("{}: {}:{}: disorder: {}{}", w.called.name(), path, w.inputs.line_number(order.number()),
                                  order.line(), made.delimiter));
  return 1;
}

}  // namespace ordo::inline v0::strsort
