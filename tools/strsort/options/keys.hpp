#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/strings/order.hpp"

/// The ordering options, and -k in all its forms.
namespace ordo::inline v0::strsort {

/// The ordering options of the command line, or those of one key.
struct ordering {
  bool blanks_at_first = false, blanks_at_end = false;  // -b
  bool dictionary = false, fold = false, general = false, human = false, unprinted = false, month = false, number = false,
       random = false, reverse = false, version = false;
  std::optional<strings::key_type> own;  // an order that GNU sort does not have
  bool empty_last = false;               // the word "last": empty values come after all others

  /// Sets the option of a letter of "bdfghiMnRrV".
  /// @returns false for any other letter
  bool set(char letter, bool first = true, bool end = true);
  /// Returns the options that are set here but not in `other`.
  [[nodiscard]] ordering without(ordering const& other) const;
  /// Returns the letters of the options that are set, in that order.
  [[nodiscard]] std::string letters() const;
  [[nodiscard]] bool is_numeric() const { return general || human || number; }
  /// Returns true if no option except -r is set.
  [[nodiscard]] bool is_default() const;
  friend bool operator==(ordering const&, ordering const&) = default;
};

/// A key of the command line, without the options that it inherits.
struct given_key {
  strings::key part;  // its range; other members are not set
  ordering options;
  bool obsolete = false;               // +POS -POS
  std::string text;                    // the key as it is written
  std::string name;                    // name of the column, until the header has been read; with what may follow a name
  std::optional<std::string> pattern;  // the regular expression that finds the key in its range
  std::shared_ptr<strings::piece_finder const> finder = {};  // or another finder

  /// Returns true if it has options of its own and inherits none.
  [[nodiscard]] bool has_options() const { return !options.is_default() || options.reverse; }
};

/// An order that GNU sort does not have, by the names of its option and of the word after a key.
struct own_order {
  std::string_view name;
  strings::key_type type;
};
inline constexpr std::array<own_order, 6> own_orders{{{"natural", strings::key_type::natural},
                                                      {"human-time", strings::key_type::duration},
                                                      {"date", strings::key_type::date},
                                                      {"ip", strings::key_type::address},
                                                      {"order-file", strings::key_type::listed},
                                                      {"length", strings::key_type::length}}};

/// Parses F[.C][OPTS][,F[.C][OPTS]][:WORDS] and [F[.C][OPTS][,F[.C][OPTS]]]/REGEX/[OPTS][:WORDS]. @throws usage_error  in GNU's
/// words
given_key parse_key(std::string_view text);
/// Parses WORDS, with commas between them: names of own orders, "last", and letters of OPTS.
/// @returns false for other words
bool parse_words(std::string_view words, ordering& options);
/// Checks a key that cannot be parsed. @throws usage_error  that names the word, if all before the ':' is a key or one of the
/// columns and WORDS are wrong
void refuse_words(std::string_view text, std::vector<std::string> const& columns);
/// Parses NAME[:WORDS] and NAME/REGEX/[OPTS][:WORDS], where NAME is one of the columns, in double quotes or not. @throws
/// usage_error
given_key parse_named_key(std::string_view text, std::vector<std::string> const& columns);
/// Parses +F[.C][OPTS], and -F[.C][OPTS] if `end` is not empty.
/// @returns false if the first is not of this form, and so names a
/// file
/// @throws usage_error  for an invalid end
bool parse_obsolete_key(std::string_view first, std::string_view end, given_key& key);

/// Returns all keys with the options that they inherit, without their regular expressions. Without keys, returns the line as a
/// key if options other than -r are set.
/// @throws usage_error  for options that exclude one another
std::vector<strings::key> make_keys(std::vector<given_key> const& given, ordering const& global);

}  // namespace ordo::inline v0::strsort
