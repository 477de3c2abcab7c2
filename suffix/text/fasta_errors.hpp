#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "suffix/text/fasta_lines.hpp"

namespace ordo::suffix::detail {

/// Says what is wrong in a part of a FASTA text that has an error, and in which line: the first error, found byte by byte.
/// @param before  where the part begins  @param name  of the header that is begun there, as far as it goes
/// @throws input_error
[[noreturn]] void refuse_fasta(std::string const& file, std::string_view text, fasta_position const& before, std::string name);

/// The text has no records. @throws input_error
[[noreturn]] void refuse_no_records(std::string const& file);

/// The records of several texts, in order.
struct fasta_totals {
  std::uint64_t residues = 0, records = 0, name_bytes = 0;
  bool kept = true;  // else they do not fit, and are only counted
  bool all = true;   // else there is more, which is not even counted

  /// Names and starts may be copied to where there is more room.
  [[nodiscard]] std::uint64_t memory() const { return residues + 2 * (name_bytes + 2 * sizeof(std::uint64_t) * records); }
};

/// Returns the message for records that do not fit.
std::string large_records(std::string const& file, fasta_totals const& found, std::size_t memory);

/// The records do not fit. @throws records_too_large
[[noreturn]] void refuse_large(std::string const& file, fasta_totals const& found, std::size_t memory);

}  // namespace ordo::suffix::detail
