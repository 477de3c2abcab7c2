#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The format of the files that a text is made of. `fasta`: records of residues. `bytes`: all bytes, as they are; a file is one
/// record, unless a separator ends records. `lines`: each line is a record, without its LF. `jsonl`: each line is a JSON value, of
/// which one string is a record.
enum class input_format { fasta, bytes, lines, jsonl };

/// The names of the formats, in descriptions of indexes and in commands.
inline constexpr std::array<std::string_view, 4> input_words{"fasta", "bytes", "lines", "jsonl"};

/// Returns whether each line of a file is a record.
constexpr bool has_lines(input_format format) noexcept {
  return format == input_format::lines || format == input_format::jsonl;
}

/// A file whose records are part of a text.
struct input_file {
  std::string name;
  std::uint64_t records = 0;
  std::uint64_t first_record = 0;  // of the text
  friend bool operator==(input_file const&, input_file const&) = default;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
