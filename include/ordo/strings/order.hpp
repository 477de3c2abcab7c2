#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// The order of lines, as GNU sort's options give it (coreutils manual, "sort invocation").
namespace ordo::strings {

/// As what a key's piece of the line is read.
enum class reading : std::uint8_t {
  bytes,           // unsigned bytes
  number,          // -n: blanks, '-', digits, a decimal point, digits: exactly, of any length
  general_number,  // -g: as strtold reads it: what is no number, then NaN, then the numbers from -inf on
  human_number,    // -h: sign, then unit (none, K or k, M, G, T, P, E, Z, Y), then number
  month,           // -M: no month, then JAN to DEC
  version,         // -V: as GNU's filevercmp
  random           // -R: by a hash that equal pieces share
};

/// A piece of a line and how it is compared. Fields and characters are counted from 0. A piece that begins behind its end, or
/// behind the line's, is empty.
struct key {
  static constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

  std::size_t first_field = 0, first_character = 0;
  /// The field in which the piece ends, with the character before this one; 0 is the end of the field.
  std::size_t last_field = to_the_end, end_character = 0;
  bool skip_blanks_at_first = false, skip_blanks_at_end = false;  // -b: characters are counted behind a field's blanks

  reading as = reading::bytes;
  bool fold_case = false;         // -f: small letters as capitals
  bool dictionary = false;        // -d: letters, digits and blanks only
  bool ignore_unprinted = false;  // -i: printing characters only; dictionary goes before it
  bool reverse = false;

  friend bool operator==(key const&, key const&) = default;
};

/// Keys are compared one after the other until one differs; lines that all of them leave equal are compared as wholes. No key:
/// lines are compared as wholes.
struct order {
  std::vector<key> keys;
  bool reverse = false;           // of the comparison of whole lines; keys have their own
  bool last_resort = true;        // false: lines that all keys leave equal are equal, and keep the order of the text
  std::optional<char> separator;  // between fields; none: a field is blanks and what is no blank behind them
  std::array<unsigned char, 16> random_seed = {};  // of reading::random
  /// Whose letters, blanks, numbers, months and collation are meant. But for C and POSIX, the system has to know it; then keys
  /// of reading::bytes and whole lines compare as its strcoll has them, and lines that it leaves equal are equal.
  std::string locale = "C";

  [[nodiscard]] bool is_collated() const { return locale != "C" && locale != "POSIX"; }
  /// Are lines compared as wholes, by their bytes?
  [[nodiscard]] bool is_plain() const { return keys.empty() && !is_collated(); }
};

}  // namespace ordo::strings
