#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "ordo/communicator.hpp"
#include "ordo/io.hpp"
#include "ordo/strings.hpp"
#include "tools/cli/stats.hpp"
#include "tools/strsort/options/command.hpp"
#include "tools/strsort/options/gnu_messages.hpp"
#include "tools/strsort/record_inputs.hpp"

/// The modes of strsort, each in a file of modes/. They return the exit status.
namespace ordo::inline v0::strsort {

/// A complete command line.
struct work {
  command const& made;
  strings::order const& by;
  caller const& called;
  bool& writing;
  communicator* members;  // members of an MPI job; null: this process works alone
  record_inputs& inputs;
  std::atomic<std::uint64_t> const& read;  // bytes of the files

  [[nodiscard]] strings::sort_options options() const {
    strings::sort_options options;
    options.by = by;
    options.delimiter = inputs.delimiter();
    options.machine = made.common.machine();
    return options;
  }
};

/// Looks for the first line out of order.
int check(work const& w, cli::stats& stats);
/// Prints about how many different lines there are.
int estimate(work const& w, cli::stats& stats);
/// Sorts, merges or counts.
int sort(work const& w, cli::stats& stats);

/// Describes each key in words and, for each, the first two adjacent lines that it decides. The lines are those at the
/// beginning of `from`. @param header  the header of the input, without which columns have no names
std::string explained(strings::order const& by, char delimiter, std::string_view header, source& from);

/// Returns true if members of a job, or several GPUs, share the work.
bool is_shared(command const& made);

}  // namespace ordo::inline v0::strsort
