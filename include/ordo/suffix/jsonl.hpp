#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// Returns the names of a field of nested objects, which '.' separates.
std::vector<std::string> field_names(std::string_view field);

/// Finds a string in a line of JSON, without a check of the rest of the line.
/// @param names  those that lead to the string, as for corpus_options::field; of equal names the first one counts
/// @returns the string as it is written, with its escapes and without its quotes; nothing if there is none
std::optional<std::string_view> find_json_string(std::string_view line, std::span<std::string const> names);

/// Finds a number in a line of JSON in the same way.
/// @returns nothing if there is none, or another value
std::optional<double> find_json_number(std::string_view line, std::span<std::string const> names);

/// Returns true if the object on a line of JSON has a field of this name, whatever its value; fields of inner objects do not
/// count.
bool has_json_field(std::string_view line, std::string_view name);

/// Bytes of a string, [begin, end).
struct byte_range {
  std::uint64_t begin = 0, end = 0;
};

/// Appends a string of JSON without some ranges. Whatever stays is as it was written: no escape is decoded or added.
/// @param written  a result of find_json_string
/// @param text  the string that it stands for, in UTF-8
/// @param ranges  bytes of text, whole characters, in order
/// @returns false if `written` does not stand for `text`; then `to` is unchanged
bool append_without(std::string& to, std::string_view written, std::string_view text, std::span<byte_range const> ranges);

/// Returns the object on a line of JSON without one of its fields. Whatever stays is as it was written.
/// @param written  a result of find_json_string in this line
std::string without_json_field(std::string_view line, std::string_view written);

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
