#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/suffix.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// Writes a BWT of DNA in the format FMD of fermi and ropebwt: the lengths of its runs in Elias's delta code with three bits
/// for the letter, in blocks of 64 bytes that begin with the counts of the block before; then a table of blocks by rows. One
/// thread.
/// @param bwt  one letter a row, '$' at the starts of records: the ends of records first. Letters other than A, C, G and T are
/// N
/// @throws what the sink throws
void write_fmd(std::string_view bwt, sink& to);

/// Writes a BWT of DNA in the format FMR of ropebwt2 and ropebwt3, to which both can add records: for each letter, the rows
/// whose suffixes begin with it, as runs in the leaves of a B+ tree. The tree is the one that ropebwt3 makes when it appends
/// all runs. One thread. Memory: the size of the file.
/// @param bwt  see write_fmd; the first rows are those of the ends of records
/// @throws what the sink throws; out_of_memory
void write_fmr(std::string_view bwt, sink& to);

enum class run_length_format { fmd, fmr };

/// Records that are indexed as `ropebwt3 build` does: each is followed by its reverse complement, and N comes after T.
class fmd_records {
 public:
  /// Adds a record. Letters other than A, C, G and T, in either case, are N. @throws out_of_memory
  void add(std::string_view letters);

  /// Returns the number of letters of both strands.
  [[nodiscard]] std::uint64_t size() const noexcept { return letters_.size(); }

  /// Writes what `ropebwt3 build -d` writes, which is the same for any number of threads and batches; or what `ropebwt3 build
  /// -b` writes for one file of one batch, of at most 7 G letters of both strands. Memory: 6 bytes for each letter of both
  /// strands, 10 if there are 2^32 or more, besides that of the build.
  /// @throws input_error  if there are no records; as build, and what the sink throws
  build_report write(sink& to, build_options const& options, run_length_format format = run_length_format::fmd) const;

 private:
  std::string letters_;  // A, C, G, T, and Z for N
  std::vector<std::uint64_t> starts_;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
