#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The format of the files that a text is made of. `fasta`: records of residues. `bytes`: all bytes, as they are; a file is one
/// record, unless a separator ends records. `lines`: each line is a record, without its LF.
enum class input_format { fasta, bytes, lines };

/// The names of the formats, in descriptions of indexes and in commands.
inline constexpr std::array<std::string_view, 3> input_words{"fasta", "bytes", "lines"};

/// A file whose records are part of a text.
struct input_file {
  std::string name;
  std::uint64_t records = 0;
  std::uint64_t first_record = 0;  // of the text
  friend bool operator==(input_file const&, input_file const&) = default;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
