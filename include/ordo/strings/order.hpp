#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

/// The order of lines, with the meaning of GNU sort's options (coreutils manual, "sort invocation").
namespace ordo::inline v0::strings {

/// Selects how a key compares its piece of the line.
enum class key_type : std::uint8_t {
  bytes,           // unsigned bytes
  number,          // -n: blanks, '-', digits, a decimal point, digits: exact, of any length
  general_number,  // -g: as strtold reads it: pieces without a number, then NaN, then the numbers from -inf on
  human_number,    // -h: sign, then unit (none, K or k, M, G, T, P, E, Z, Y), then number
  month,           // -M: no month, then JAN to DEC
  version,         // -V: as GNU's filevercmp
  random           // -R: by a hash of the piece
};

/// A piece of a line, and how it is compared. Fields and characters are counted from 0. A piece that begins behind its end, or
/// behind the end of the line, is empty.
struct key {
  static constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

  std::size_t first_field = 0, first_character = 0;
  /// The field in which the piece ends, before this character; 0 is the end of the field.
  std::size_t last_field = to_the_end, end_character = 0;
  bool skip_blanks_at_first = false,
       skip_blanks_at_end = false;  // -b: characters are counted from the first one that is no blank

  key_type type = key_type::bytes;
  bool fold_case = false;         // -f: lower case compares as upper case
  bool dictionary = false;        // -d: letters, digits and blanks only
  bool ignore_unprinted = false;  // -i: printing characters only; ignored with `dictionary`
  bool reverse = false;

  friend bool operator==(key const&, key const&) = default;
};

/// Keys are compared one after the other until one differs. Lines with equal keys are compared as whole lines, as are all lines
/// if there are no keys.
struct order {
  std::vector<key> keys;
  bool reverse = false;           // for whole lines; keys have their own
  bool last_resort = true;        // false: lines with equal keys are equal, and keep the order of the text
  std::optional<char> separator;  // between fields; none: a field is blanks and the bytes behind them that are none
  std::array<unsigned char, 16> random_seed = {};  // for key_type::random
  /// The locale of letters, blanks, numbers, months and collation. The system has to know it, unless it is C or POSIX. Keys of
  /// key_type::bytes and whole lines compare as by its strcoll, and lines that are equal by it are equal.
  std::string locale = "C";

  [[nodiscard]] bool is_collated() const { return locale != "C" && locale != "POSIX"; }
  /// Returns whether whole lines are compared, by their bytes.
  [[nodiscard]] bool is_plain() const { return keys.empty() && !is_collated(); }
};

}  // namespace ordo::inline v0::strings
#pragma GCC visibility pop
