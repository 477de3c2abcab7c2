#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::inline v0::suffix::detail {

/// Decodes a string of JSON, which stands between its quotes. It may become part of its own memory: `to` may be any place up to
/// its first byte.
/// @returns the end of the decoded string; null if it has a wrong escape
char* decode_json_string(std::string_view written, char* to);

/// Returns true if all escapes of a string of JSON are right.
bool has_right_escapes(std::string_view written);

/// Returns the end of the string of JSON that begins at `at`, after a quote: the position of the quote that ends it, or npos.
std::size_t end_of_json_string(std::string_view line, std::size_t at);

/// Returns true if a string of JSON stands for a name.
bool is_json_name(std::string_view written, std::string_view name);

/// The bytes after a line that may be read, whatever they are.
inline constexpr std::size_t json_padding = 64;

/// Takes one string of each line of JSON. Not for several threads at a time.
class json_strings {
 public:
  /// @param field  the names that lead to the string, separated by '.'
  explicit json_strings(std::string field);
  ~json_strings();

  /// A line that has no string, from 0 on, and why.
  struct flaw {
    std::uint64_t line = 0;
    std::string why;
    bool is_missing = false;   // nothing has the name
    bool has_strings = false;  // but other strings are there
    std::string text = {};     // the line, if others are taken after it
  };
  /// Replaces lines by the string that each has, one after the other. LF ends a line; the last one may lack it. All of a line
  /// is checked. A line of blanks is an empty string, and a byte order mark may stand before any line.
  /// @param lines  json_padding bytes after them may be read
  /// @param starts  gets where each string begins, from the first one of `lines` on
  /// @returns the bytes of all strings; nothing after a flaw
  std::optional<std::size_t> take(std::span<char> lines, std::vector<std::uint64_t>& starts, flaw& first);
  /// Does the same, but a line with a flaw is an empty string. @param flaws  gets all flaws, with the text of the line
  std::size_t take(std::span<char> lines, std::vector<std::uint64_t>& starts, std::vector<flaw>& flaws);

 private:
  template <class OnFlaw>
  std::optional<std::size_t> extract(std::span<char> lines, std::vector<std::uint64_t>& starts, OnFlaw on_flaw);

  struct parser;
  std::string field_;
  std::unique_ptr<parser> parser_;
};

/// Returns why a line has no string, for messages.
std::string reason(std::string_view field, json_strings::flaw const& flaw);

/// Throws the error of a line. @param lines  the lines of the file before those in which the flaw is @throws input_error
[[noreturn]] void refuse_json(std::string const& name, std::uint64_t lines, std::string_view field,
                              json_strings::flaw const& flaw);

}  // namespace ordo::inline v0::suffix::detail
