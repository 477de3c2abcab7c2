#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The format of the files that a text is made of. `fasta`: records of residues. `bytes`: all bytes, as they are; a file is one
/// record, unless a separator ends records. `lines`: each line is a record, without its LF. `u16`, `u32`: tokens, unsigned
/// numbers of 16 or 32 bits, with records as for bytes. `jsonl`: each line is a JSON value, of which one string is a record.
enum class input_format { fasta, bytes, lines, u16, u32, jsonl };

/// The names of the formats, in descriptions of indexes and in commands.
inline constexpr std::array<std::string_view, 6> input_words{"fasta", "bytes", "lines", "u16", "u32", "jsonl"};

/// Returns the bytes of a residue of a text of this format.
constexpr unsigned bytes_per_residue(input_format format) noexcept {
  return format == input_format::u16 ? 2 : format == input_format::u32 ? 4 : 1;
}

/// Returns true if each line of a file is a record.
constexpr bool has_lines(input_format format) noexcept {
  return format == input_format::lines || format == input_format::jsonl;
}

/// A file whose records are part of a text.
struct input_file {
  std::string name;
  std::uint64_t records = 0;
  std::uint64_t first_record = 0;  // first record of the text
  std::uint64_t bad_lines = 0;     // JSONL: empty records that stand for lines without a string (corpus_options::on_bad_line)
  bool is_cut = false;             // whether the rest of the file, or all of it, could not be read
  friend bool operator==(input_file const&, input_file const&) = default;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
