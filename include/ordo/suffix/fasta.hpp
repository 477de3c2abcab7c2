#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/record_names.hpp"

namespace ordo::suffix {

/// The records of FASTA files: their residues end to end, where each begins, and its name.
struct fasta {
  host_bytes residues;
  std::vector<std::uint64_t> starts;
  record_names names;

  [[nodiscard]] text view() const { return {{residues.data(), residues.size()}, starts}; }
};

struct fasta_options {
  bool keep_case = false;  // else letters are folded to upper case
  /// Of these, how many threads of the CPU parse the text, or the CPU machine that does: a GPU has another way
  /// (build_fasta.hpp).
  machine_options machine = {};
  /// Bytes that all records may take, those of calls before with them.
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  /// A guess how many bytes of text there are, for sources that have no size; 0: no idea.
  std::uint64_t expected = 0;
  /// Called now and then with the bytes of text read so far by the one call.
  std::function<void(std::uint64_t)> on_progress = {};
};

/// Records that do not fit fasta_options::memory. bytes() of that would do.
class records_too_large : public out_of_memory {
 public:
  /// @param residues, records  of the text that is to be made of them @param all  false: there may be more
  records_too_large(std::string const& what, std::size_t bytes, std::uint64_t residues, std::uint64_t records, bool all)
      : out_of_memory(what, bytes), residues_(residues), records_(records), all_(all) {}
  [[nodiscard]] std::uint64_t residues() const noexcept { return residues_; }
  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  [[nodiscard]] bool all() const noexcept { return all_; }

 private:
  std::uint64_t residues_, records_;
  bool all_;
};

/// Adds the records of a FASTA text, read to its end by several threads at a time where it has addresses.
/// A byte order mark before the first line is passed over.
/// A line that begins with '>' begins a record, named by what follows up to the first blank; a line that begins with ';' is a
/// comment. All other lines are residues: letters, '*', '-' and '.'; blanks among them are dropped, as samtools does. Lines
/// end in LF or CR LF; empty lines are passed over; a record may be empty. Memory beside the records: some 5 MiB for each
/// thread, or 64 MiB on a GPU; twice that where the text has no addresses.
/// @param name  for messages
/// @throws records_too_large  if the records take more than they may: the rest of the text is counted before that, up to eight
///     times what they may take, or 1 GiB
/// @throws input_error  naming text and line: text before the first '>', FASTQ, any other character, a CR inside a line, a name
///     that is not UTF-8 or holds a NUL; naming the text: no records. And what the source throws. The records before the error
///     may be there
void append_fasta(fasta& to, std::string const& name, source& from, fasta_options const& how = {});

/// The records of one text.
fasta read_fasta(std::string const& name, source& from, fasta_options const& how = {});

}  // namespace ordo::suffix
