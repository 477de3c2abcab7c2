#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tools/cli/options/options.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/stats.hpp"

namespace ordo::inline v0::sufsort {

/// Reports phases to --stats and to the progress line.
struct reporter {
  cli::stats stats;
  cli::progress progress;

  /// @param inputs, output  see cli::progress
  reporter(cli::common_options const& options, std::span<std::string const> inputs, std::string const& output, int argc,
           char const* const* argv)
      : stats("sufsort", argc, argv, options), progress("sufsort", options, inputs, output) {}
  void phase(std::string_view name, std::uint64_t bytes = 0) {
    stats.phase(name);
    stats.bytes(bytes);
    progress.phase(name, bytes);
  }
};

}  // namespace ordo::inline v0::sufsort
