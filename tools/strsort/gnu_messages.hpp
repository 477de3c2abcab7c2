#pragma once
#include <string>
#include <string_view>

#include "ordo/error.hpp"

namespace ordo::strsort {

/// The name by which the program was called. Under GNU's name, `sort`, its words are GNU's, the lines that follow a message
/// included; else a message is one line, as in every tool.
class caller {
 public:
  explicit caller(std::string_view path);

  /// What messages begin with: the path itself under GNU's name, the last part of it else.
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] bool is_gnu() const noexcept { return is_gnu_; }
  /// A message that GNU sends with further lines: they are left out, or set behind a colon, where it has to be one line.
  [[nodiscard]] std::string lines(std::string_view message, std::string_view more) const;
  /// That of a command line which cannot be understood: it points to --help.
  [[nodiscard]] usage_error misuse(std::string_view message, std::string_view more = {}) const;
  /// The same, for a word out of a list: `choices` are the lines of the list.
  [[nodiscard]] std::string bad_word(std::string_view message, std::string_view choices) const;
  /// What an error of the libraries says, in the words that GNU has for it. @param writing  has writing begun?
  [[nodiscard]] std::string reworded(std::string_view message, bool writing) const;

 private:
  std::string name_;
  bool is_gnu_;
};

/// 'text' with escapes as in C, as GNU's programs quote arguments.
std::string quoted(std::string_view text);
/// A file's name as a shell takes it, quoted only where it needs quotes, and ':' does too; as GNU's programs name files.
std::string file_quoted(std::string_view name);
/// The same, always in quotes.
std::string always_quoted(std::string_view name);

}  // namespace ordo::strsort
