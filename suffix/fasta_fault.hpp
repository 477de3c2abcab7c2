#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "suffix/fasta_lines.hpp"

namespace ordo::suffix::detail {

/// Says what is wrong in a part of a FASTA text that has an error, and in which line: the first error, found byte by byte.
/// @param before  where the part begins  @param name  of the header that is begun there, as far as it goes
/// @throws input_error
[[noreturn]] void refuse_fasta(std::string const& file, std::string_view text, fasta_position const& before, std::string name);

/// The text has no records. @throws input_error
[[noreturn]] void refuse_no_records(std::string const& file);

/// Its records do not fit. @throws out_of_memory
[[noreturn]] void refuse_large(std::string const& file, std::size_t memory);

}  // namespace ordo::suffix::detail
