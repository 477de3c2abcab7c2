#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tools/cli/options.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/stats.hpp"

namespace ordo::sufsort {

/// What a run tells while it works: the phases go to the report and to the terminal.
struct telling {
  cli::stats stats;
  cli::progress progress;

  /// @param inputs, output  as for cli::progress
  telling(cli::common_options const& options, std::span<std::string const> inputs, std::string const& output, int argc,
          char const* const* argv)
      : stats("sufsort", argc, argv, options), progress("sufsort", options, inputs, output) {}
  void phase(std::string_view name, std::uint64_t bytes = 0) {
    stats.phase(name);
    stats.bytes(bytes);
    progress.phase(name, bytes);
  }
};

}  // namespace ordo::sufsort
