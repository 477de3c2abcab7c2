#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Bytes and tokens of texts that are no FASTA, as commands read and print them.
namespace ordo::inline v0::sufsort {

/// The form in which patterns are given: bytes as they are, bytes as pairs of hexadecimal digits, or decimal tokens.
enum class pattern_format { text, hex, tokens };
inline constexpr std::array<std::string_view, 3> pattern_words{"text", "hex", "tokens"};

/// Appends bytes so that they fit into a column of a line: TAB, LF, CR and backslash become `\t`, `\n`, `\r` and `\\`; other
/// control characters become `\xHH`, and so do all bytes above 0x7e if the bytes are not UTF-8.
void append_printable(std::string& to, std::string_view bytes);

/// Appends tokens as decimal numbers, separated by commas. @param bytes  the bytes of whole tokens, little-endian
void append_tokens(std::string& to, std::string_view bytes, unsigned token_bytes);

/// Returns the bytes for which a pattern stands, at least one residue. Tokens are separated by blanks or commas.
/// @param residue_bytes  the residue bytes of the text @throws usage_error  which says why it stands for none
std::string parse_symbols(std::string_view pattern, pattern_format format, unsigned residue_bytes);

/// Returns the numbers in a file, which are separated by blanks, commas or line ends. @throws input_error  naming file and line
std::vector<std::uint64_t> read_numbers(std::string const& file);

/// Returns a text with the escapes `\n`, `\t`, `\r`, `\0`, `\xHH` and `\\` replaced.
/// @param option  its name, for messages @throws usage_error  for other escapes, and for an empty text
std::string unescaped(std::string_view option, std::string_view text);

}  // namespace ordo::inline v0::sufsort
