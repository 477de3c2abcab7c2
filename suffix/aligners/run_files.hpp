#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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

/// Writes runs in the format FMD or FMR; see write_fmd and write_fmr. @param next  sets the next run; false: there is none
void write_fmd_runs(std::function<bool(dna_run&)> const& next, sink& to);
void write_fmr_runs(std::function<bool(dna_run&)> const& next, std::uint64_t const (&rows_of_letters)[num_dna_codes], sink& to);

}  // namespace ordo::inline v0::suffix
