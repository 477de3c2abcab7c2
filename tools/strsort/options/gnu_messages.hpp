#pragma once
#include <string>
#include <string_view>

#include "ordo/error.hpp"

namespace ordo::inline v0::strsort {

/// The name by which the program was called. Under the name `sort`, messages are those of GNU sort, which may have several
/// lines. Under other names a message is one line, as in every tool.
class caller {
 public:
  explicit caller(std::string_view path);

  /// Returns the name with which messages begin: under GNU's name the path, else its last part.
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] bool is_gnu() const noexcept { return is_gnu_; }
  /// Returns a message to which GNU sort adds lines: with these, or in one line after a colon.
  [[nodiscard]] std::string lines(std::string_view message, std::string_view more) const;
  /// Returns the error of an invalid command line, which refers to --help.
  [[nodiscard]] usage_error misuse(std::string_view message, std::string_view more = {}) const;
  /// Returns the error of an invalid word. @param choices  the lines that list the valid words
  [[nodiscard]] std::string bad_word(std::string_view message, std::string_view choices) const;
  /// Returns the message of a library in the words of GNU sort. @param writing  output has been opened
  [[nodiscard]] std::string reworded(std::string_view message, bool writing) const;

 private:
  std::string name_;
  bool is_gnu_;
};

/// Quotes an argument with escapes as in C, as GNU's programs do.
std::string quote(std::string_view text);
/// Quotes the name of a file for a shell if it needs quotes or holds ':', as GNU's programs do.
std::string file_quoted(std::string_view name);
/// Quotes the name of a file for a shell in every case.
std::string always_quoted(std::string_view name);

}  // namespace ordo::inline v0::strsort
