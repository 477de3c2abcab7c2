#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/strings.hpp"

#pragma GCC visibility push(default)

/// Sorting texts that do not fit in memory, and merging sorted texts.
namespace ordo::inline v0::strings {

/// Settings for sorting on disk.
struct spill_options {
  /// The folders of temporary files, which are used in turn. The files have no names: nothing remains when the process ends, in
  /// any way.
  std::vector<std::string> folders = {"/tmp"};
  /// A program that compresses standard input to standard output, and decompresses it with the option -d. Empty: files are not
  /// compressed.
  std::string compress_program;
  /// The memory that a line may take that is too long for sort_options::memory, in bytes.
  std::size_t max_line_memory = std::numeric_limits<std::size_t>::max();
  /// Returns the available memory, if finding it out takes time. Called once, unless the texts have only a few lines. It limits
  /// sort_options::memory and max_line_memory.
  std::function<std::size_t()> available_memory = {};
  /// The maximum number of files that are merged at a time, at least 2; 0 for a good number.
  std::size_t batch_size = 0;
  /// Called once if the program that compresses cannot be started; files are not compressed then. Empty: that is an
  /// output_error.
  std::function<void(std::string const&)> on_no_program = {};
};

/// Sorts the lines of all texts into a sink, as sort() does, whether they fit in memory or not. Longer inputs are sorted in
/// chunks, each to a run on disk. Splitters drawn from the runs then cut these into ranges that fit, and each range is loaded
/// from all runs and sorted like a text. Compressed runs are merged. Texts that fit the memory of a GPU are sorted there, and
/// are never in the host's memory. Unless `equal` keeps all lines, the CPU counts lines, if few are distinct, in a hash table
/// as it reads them, and sorts the distinct ones; the table takes up to a quarter of the memory, and lines with other keys are
/// sorted on disk. Otherwise runs contain all lines: lines are counted as they are written. by_count takes a second sort.
/// @param options  `memory` limits all host memory, with text and results, besides 16 MiB that are always allowed. A longer
/// line takes what it needs
/// @throws usage_error; out_of_memory for a line that no memory can hold; output_error if a temporary file cannot be created or
/// written; input_error if it cannot be read or a program failed; what sources and sink throw
sort_report sort_external(texts const& from, sink& to, sort_options const& options, duplicates equal,
                          spill_options const& spill, phase_observer const& began = {});

/// Merges sorted texts. The smallest of the next lines is written until all texts have ended; of equal lines that of the first
/// text. Texts that are not sorted are merged by this rule, too.
/// @param equal  drop: a line that is equal to the last one written is left out; count: a line that is equal to the line before
/// is counted with it
/// @param options  `memory` limits the buffers. The machine does not matter
sort_report merge(texts const& from, sink& to, sort_options const& options, duplicates equal, spill_options const& spill,
                  phase_observer const& began = {});

}  // namespace ordo::inline v0::strings
#pragma GCC visibility pop
