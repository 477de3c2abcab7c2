#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ordo/strings/order.hpp"

/// The options that say how lines are compared, and -k in all its forms.
namespace ordo::strsort {

/// The ordering options of the command line, or those of one key.
struct ordering {
  bool blanks_at_first = false, blanks_at_end = false;  // -b
  bool dictionary = false, fold = false, general = false, human = false, unprinted = false, month = false, number = false,
       random = false, reverse = false, version = false;

  /// Sets what the letter, one of "bdfghiMnRrV", stands for. @returns false for any other letter
  bool set(char letter, bool first = true, bool end = true);
  /// Those that are set here and not there.
  [[nodiscard]] ordering without(ordering const& other) const;
  /// Those that are set, in that order.
  [[nodiscard]] std::string letters() const;
  [[nodiscard]] bool is_numeric() const { return general || human || number; }
  /// Does it change how texts are compared, but for the direction?
  [[nodiscard]] bool is_default() const;
  friend bool operator==(ordering const&, ordering const&) = default;
};

/// A key of the command line, before it has what it inherits.
struct given_key {
  strings::key part;  // of the line; the rest of it is not set
  ordering how;
  bool obsolete = false;  // +POS -POS

  /// Has it options of its own, so that it inherits none?
  [[nodiscard]] bool has_options() const { return !how.is_default() || how.reverse; }
};

/// F[.C][OPTS][,F[.C][OPTS]]. @throws usage_error in GNU's words
given_key parse_key(std::string_view text);
/// +F[.C][OPTS], and -F[.C][OPTS] if `end` is not empty; false if the first is not of this form, and thus a file's name.
/// @throws usage_error for a bad end
bool parse_obsolete_key(std::string_view first, std::string_view end, given_key& key);

/// All keys with what they inherit; if there are none, the line as one key if the options say more than that it is reversed.
/// @throws usage_error for options that exclude one another
std::vector<strings::key> keys_of(std::vector<given_key> const& given, ordering const& global);

}  // namespace ordo::strsort
