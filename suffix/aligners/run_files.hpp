#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "suffix/aligners/dna_codes.hpp"

namespace ordo::inline v0::suffix {

/// Reads the runs of a BWT in the format FMD or FMR, which its first bytes tell, and calls consume(letter, rows) for each, by
/// the codes of dna_codes.hpp. Adjacent runs may have one letter.
/// @param name  the name for errors
/// @throws input_error
void read_runs(source& from, std::string const& name, std::function<void(unsigned, std::uint64_t)> const& consume);

struct dna_run {
  unsigned letter = 0;
  std::uint64_t rows = 0;
};

/// Removes the first run from a BWT.
/// @returns false if the BWT is empty
inline bool consume_run(std::string_view& bwt, dna_run& run) {
  if (bwt.empty()) return false;
  char const first = bwt.front();
  run.letter = dna_code(first);
  std::size_t end = 1;
  while (end < bwt.size() && (bwt[end] == first || dna_code(bwt[end]) == run.letter)) ++end;
  run.rows = end;
  bwt.remove_prefix(end);
  return true;
}

/// Calls a function for each number below the first argument, on any threads.
using each_of = std::function<void(std::size_t, std::function<void(std::size_t)> const&)>;

/// Writes runs in the format FMD; see write_fmd. Memory: the size of the file, and 32 bytes for each run of a call of next.
/// @param next  appends the next runs, as many as it likes, each of another letter than the one before; false: there are none
void write_fmd_runs(std::function<bool(std::vector<dna_run>&)> const& next, each_of const& each, sink& to);
/// Writes runs in the format FMR; see write_fmr. @param next  sets the next run; false: there is none
void write_fmr_runs(std::function<bool(dna_run&)> const& next, std::uint64_t const (&rows_of_letters)[num_dna_codes], sink& to);

}  // namespace ordo::inline v0::suffix
