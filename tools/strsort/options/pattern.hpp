#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/strings/order.hpp"
#include "tools/strsort/options/keys.hpp"

namespace ordo::inline v0::strsort {

/// A regular expression of Perl's kind (PCRE2) that finds a key: its first group, or what it matches if it has no group.
class pattern final : public strings::piece_finder {
 public:
  /// @param text        the expression, without slashes around it
  /// @param characters  '.' is a character of UTF-8, not a byte; bytes that are none match nothing
  /// @throws usage_error  for an invalid expression
  pattern(std::string text, bool characters);
  ~pattern() override;
  pattern(pattern const&) = delete;
  pattern& operator=(pattern const&) = delete;

  [[nodiscard]] std::string const& text() const { return text_; }
  /// Returns the group of the leftmost match; null if there is no match or the group is not part of it.
  /// @throws input_error  if the search takes more than 10 million steps from some byte on, more than two seconds of a thread
  /// and
  ///                      20 ns for each byte, or 256 MB of memory
  [[nodiscard]] std::string_view find(std::string_view piece, std::string& made) const override;

 private:
  struct compiled;

  [[nodiscard]] int search(std::string_view piece) const;
  [[nodiscard]] int search(std::string_view piece, std::size_t begin, std::size_t end) const;

  std::string text_;
  bool characters_, divisible_;
  std::unique_ptr<compiled> compiled_;
};

/// Gives each of `keys` the regular expression of the key of the command line that it was made of, if that has one.
/// @param locale  in UTF-8, '.' is a character, else a byte @throws usage_error  for an invalid expression
void add_patterns(std::vector<given_key> const& given, std::vector<strings::key>& keys, std::string const& locale);

}  // namespace ordo::inline v0::strsort
