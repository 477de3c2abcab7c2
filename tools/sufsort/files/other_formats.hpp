#pragma once
#include <optional>
#include <string>
#include <string_view>

/// Formats that no command reads, so that errors can name them.
namespace ordo::inline v0::sufsort {

/// A format, and what to do with a file of it.
struct other_format {
  std::string_view name, advice;
};

/// Returns the format of a file that is neither FASTA nor FASTQ nor any text; nothing if it may be one of these.
/// @param begin  the first bytes of the file, uncompressed
std::optional<other_format> detect_other_format(std::string_view begin);
/// Returns also the formats of text that the name or the lines of a file show, such as CSV, if it is to be FASTA.
std::optional<other_format> detect_other_format(std::string_view name, std::string_view begin);

/// Throws input_error if a file that is to be FASTA has text before its first record, with the format that it seems to have.
/// @param begin  the first bytes of the file, uncompressed @param advice  for other text
void expect_fasta(std::string const& name, std::string_view begin, std::string_view advice);

}  // namespace ordo::inline v0::sufsort
