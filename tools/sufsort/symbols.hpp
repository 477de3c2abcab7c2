#pragma once
#include <string>
#include <string_view>

#include "tools/sufsort/commands.hpp"

/// Bytes of texts that are no FASTA, as commands read and print them.
namespace ordo::inline v0::sufsort {

/// Appends bytes so that they fit into a column of a line: TAB, LF, CR and backslash become `\t`, `\n`, `\r` and `\\`; other
/// control characters become `\xHH`, and so do all bytes above 0x7e if the bytes are not UTF-8.
void append_printable(std::string& to, std::string_view bytes);

/// Returns the bytes for which a pattern stands, at least one. @throws usage_error  which says why it stands for none
std::string parse_symbols(std::string_view pattern, pattern_format format);

/// Returns a text with the escapes `\n`, `\t`, `\r`, `\0`, `\xHH` and `\\` replaced.
/// @param option  its name, for messages @throws usage_error  for other escapes, and for an empty text
std::string unescaped(std::string_view option, std::string_view text);

}  // namespace ordo::inline v0::sufsort
