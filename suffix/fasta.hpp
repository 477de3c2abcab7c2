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
  unsigned threads = 0;    // that inflate BGZF, no more than there are processors; 0: as many
  /// Called now and then with the bytes of text read so far by the one call.
  std::function<void(std::uint64_t)> on_progress = {};
};

/// Reads FASTA files one after the other, "-" being standard input: plain, gzip or BGZF, known by their bytes.
/// A line that begins with '>' begins a record, named by what follows up to the first blank; a line that begins with ';' is a
/// comment. All other lines are residues: letters, '*', '-' and '.'; blanks among them are dropped, as samtools does. Lines
/// end in LF or CR LF; empty lines are passed over; a record may be empty.
/// @throws input_error  naming file and line: text before the first '>', any other character, a CR inside a line, a name that
///     is not UTF-8; naming the file: no records, gzip or BGZF data that is truncated or corrupt, a file that cannot be read
fasta read_fasta(std::span<std::string const> paths, fasta_options const& how = {});

/// Adds the records of one more file.
void append_fasta(fasta& to, std::string const& path, fasta_options const& how = {});

/// FASTA text from front to back, inflated already: fills its argument, or what of it the rest of the text fills.
using fasta_text = std::function<std::size_t(std::span<char>)>;
/// Adds the records of one more text. @param name  for messages  @param expected  bytes of it, a guess; 0: no idea
void append_fasta(fasta& to, std::string const& name, fasta_text const& text, std::size_t expected,
                  fasta_options const& how = {});

/// Is this ("-": standard input) a regular file of BGZF that ends in its end marker? Such a file several threads inflate.
bool is_whole_bgzf(std::string const& path);

}  // namespace ordo::suffix
