#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "suffix/record_names.hpp"
#include "suffix/suffix.hpp"

namespace ordo::suffix {

/// The records of FASTA files: their residues end to end, where each begins, and its name.
struct fasta {
  std::string residues;
  std::vector<std::uint64_t> starts;
  record_names names;

  [[nodiscard]] text view() const { return {residues, starts}; }
};

struct fasta_options {
  bool keep_case = false;  // else letters are folded to upper case
  unsigned threads = 0;    // that inflate BGZF; 0: as many as there are
  /// Called now and then with the bytes of text read so far.
  std::function<void(std::uint64_t)> on_progress = {};
};

/// Reads FASTA files one after the other, "-" being standard input: plain, gzip or BGZF, known by their bytes.
/// A line that begins with '>' begins a record, named by what follows up to the first blank; a line that begins with ';' is a
/// comment. All other lines are residues: letters, '*', '-' and '.'; blanks among them are dropped, as samtools does. Lines
/// end in LF or CR LF; empty lines are passed over; a record may be empty.
/// @throws input_error  naming file and line: text before the first '>', any other character, a CR inside a line, a name that
///     is not UTF-8; naming the file: no records, gzip or BGZF data that is truncated or corrupt, a file that cannot be read
fasta read_fasta(std::span<std::string const> paths, fasta_options const& how = {});

}  // namespace ordo::suffix
