#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/strings/order.hpp"
#include "tools/strsort/options/keys.hpp"

/// Keys of JSON Lines (--jsonl).
namespace ordo::inline v0::strsort {

/// A line that is no JSON object. Its message names no file, which a key does not know.
class json_error : public input_error {
 public:
  json_error(std::string_view line, std::string const& why);
  [[nodiscard]] std::string const& line() const noexcept { return line_; }
  [[nodiscard]] std::string const& why() const noexcept { return why_; }

 private:
  std::string line_, why_;
};

/// Finds the value at a path of names in a line that is a JSON object: the text of a string, or else the value as it is
/// written. A number with an exponent is written out, so that all its digits count. null, and a path that leads nowhere, are
/// missing values, as are all those of an empty line. Of equal names in an object the last one counts, and in a list a name is
/// the number of an element, from 0 on.
class json_finder final : public strings::piece_finder {
 public:
  explicit json_finder(std::vector<std::string> path) : path_(std::move(path)) {}
  /// Makes texts for a key that compares bytes: a newline, for which lines have no code, becomes two bytes in its place among
  /// all.
  /// @param blanks_are_empty  leave text as it is that has nothing but blanks
  void compare_bytes(bool blanks_are_empty) {
    compares_bytes_ = true;
    blanks_are_empty_ = blanks_are_empty;
  }
  [[nodiscard]] std::vector<std::string> const& path() const { return path_; }
  /// @throws json_error
  [[nodiscard]] std::string_view find(std::string_view line, std::string& made) const override;

 private:
  std::vector<std::string> path_;
  bool compares_bytes_ = false, blanks_are_empty_ = false;
};

/// Ends keys of JSON Lines when the options outside of keys are known: those without WORDS take them.
void finish_json_keys(std::vector<given_key>& keys, ordering const& global);

/// Parses PATH[:WORDS]: names with dots between them, a name in double quotes or not. @throws usage_error
given_key parse_json_key(std::string_view text);

}  // namespace ordo::inline v0::strsort
