#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "ordo/communicator.hpp"
#include "ordo/io.hpp"
#include "ordo/strings.hpp"
#include "ordo/strings/external_sort.hpp"
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
/// Looks for the first line or record out of order, if the command checks, and prints the number and the checksum of all, if it
/// has --checksum.
int checksum(work const& w, cli::stats& stats);
/// Prints about how many different lines there are.
int estimate(work const& w, cli::stats& stats);
/// Sorts, merges or counts.
int sort(work const& w, cli::stats& stats);

/// Describes each key in words and, for each, the first two adjacent lines of the sample that it decides; then, if the lines
/// would be sorted, the memory, disk space and time that this takes.
std::string explained(work const& w);

/// Returns in words what sorting takes. @param sample  lines at the beginning of the input
std::string planned(work const& w, std::string_view sample);

/// Returns where a sort keeps its runs, and how much memory is available.
strings::spill_options make_spill_options(work const& w);
/// Returns the options of a sort, with its memory.
strings::sort_options make_sort_options(work const& w);

/// Returns true if members of a job, or several GPUs, share the work.
bool is_shared(command const& made);

}  // namespace ordo::inline v0::strsort
