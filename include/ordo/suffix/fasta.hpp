#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/host_bytes.hpp"
#include "ordo/io.hpp"
#include "ordo/machine.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/records.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The records of FASTA files: residues end to end, starts and names.
struct fasta {
  host_bytes residues;
  std::vector<std::uint64_t> starts;
  record_names names;

  [[nodiscard]] text view() const { return {{residues.data(), residues.size()}, starts}; }
};

struct fasta_options {
  bool keep_case = false;  // otherwise letters are folded to upper case
  /// The number of CPU threads that parse the text, or the CPU to use. GPUs parse in build_fasta.hpp.
  machine_options machine = {};
  /// The limit in bytes for all records, including those of earlier calls.
  std::size_t memory = std::numeric_limits<std::size_t>::max();
  /// The estimated size of the text in bytes, for sources of unknown size; 0 if unknown.
  std::uint64_t expected = 0;
  /// Called from time to time with the bytes of text that this call has read.
  std::function<void(std::uint64_t)> on_progress = {};
};

/// Thrown if records do not fit fasta_options::memory. bytes() suffices.
class records_too_large : public out_of_memory {
 public:
  /// @param residues, records  the size of the text to be made
  /// @param all  false if there may be more
  records_too_large(std::string const& message, std::size_t bytes, std::uint64_t residues, std::uint64_t records, bool all)
      : out_of_memory(message, bytes), residues_(residues), records_(records), all_(all) {}
  [[nodiscard]] std::uint64_t residues() const noexcept { return residues_; }
  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  [[nodiscard]] bool all() const noexcept { return all_; }

 private:
  std::uint64_t residues_, records_;
  bool all_;
};

/// Appends the records of a FASTA text. Reads an addressable source with several threads.
/// A byte order mark before the first line is skipped. A line that begins with '>' starts a record, whose name ends at the
/// first blank; a line that begins with ';' is a comment. All other lines hold residues: letters, '*', '-' and '.'; blanks
/// among them are dropped, as samtools does. Lines end in LF or CR LF; empty lines are skipped; a record may be empty.
/// Temporary memory: about 5 MiB a thread, or 64 MiB on a GPU; twice that for a sequential source.
/// @param name  for messages
/// @throws records_too_large  if the records exceed the limit. The rest of the text is counted first, up to eight times the
///     limit, or 1 GiB
/// @throws input_error  naming text and line: text before the first '>', FASTQ, any other character, a CR inside a line, a name
///     that is not UTF-8 or holds a NUL; naming the text: no records
/// @throws what the source throws. The records before an error may have been appended
void append_fasta(fasta& to, std::string const& name, source& from, fasta_options const& options = {});

/// Reads the records of one text.
fasta read_fasta(std::string const& name, source& from, fasta_options const& options = {});

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
