#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ordo/strings.hpp"

/// Sorting what does not fit in memory, and merging what is sorted.
namespace ordo::strings {

/// Where lines go that do not fit in memory.
struct spill {
  /// Temporary files are made in them in turn. They have no names: nothing is left of them when the process ends, however that
  /// happens.
  std::vector<std::string> folders = {"/tmp"};
  /// A program that compresses its standard input to its standard output, and with -d decompresses it; none: files hold the
  /// lines as they are.
  std::string compress_program;
  /// Bytes that a line may take which alone is too long for options::memory.
  std::size_t most_memory = std::numeric_limits<std::size_t>::max();
  /// Returns the memory that there is, where finding it out takes time: called once, for texts that are more than a few lines.
  /// options::memory and most_memory are no more than that then.
  std::function<std::size_t()> available_memory = {};
  /// How many files are merged at a time at most, at least 2; 0: as many as are good.
  std::size_t batch_size = 0;
};

/// Sorts the lines of all texts into a sink, as sort() does, whether they fit in memory or not. What does not fit is sorted in
/// parts, each to a run on disk; then splitters drawn from the runs cut these into ranges that fit, and each range is loaded
/// from all runs and sorted like any text. Runs that a program compressed are merged. What a GPU can take whole is sorted
/// there, and is never in the host's memory. Runs hold all lines; where these are counted, that is done as they are written,
/// and by_count is a second sort.
/// @param how  `memory` is all that may be taken of the host's, text and results counted, but for 16 MiB that always may. A
/// line that is longer takes what it needs
/// @throws usage_error; out_of_memory for a line that no memory holds; output_error where a temporary file cannot be made or
/// written, input_error where it cannot be read or a program failed; what sources and sink throw
sort_report sort_external(texts const& from, sink& to, options const& how, repeated equal, spill const& where,
                          phase_observer const& began = {});

/// Merges texts whose lines are in order already. What comes out of others is what a merge makes of them: always the least of
/// the texts' next lines, of equal ones the first text's.
/// @param equal  drop: a line equal to the last one written is left out; count: a line equal to the one before is counted with
/// it
/// @param how    `memory` is what may be taken for reading ahead. The machine does not matter
sort_report merge(texts const& from, sink& to, options const& how, repeated equal, spill const& where,
                  phase_observer const& began = {});

}  // namespace ordo::strings
