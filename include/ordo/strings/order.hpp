#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

/// The order of lines, with the meaning of GNU sort's options (coreutils manual, "sort invocation").
namespace ordo::inline v0::strings {

/// Selects how a key compares its piece of the line.
enum class key_type : std::uint8_t {
  bytes,           // unsigned bytes
  number,          // -n: blanks, '-', digits, a decimal point, digits: exact, of any length
  general_number,  // -g: as strtold reads it: pieces without a number, then NaN, then the numbers from -inf on
  human_number,    // -h: sign, then unit (none, K or k, M, G, T, P, E, Z, Y, R, Q), then number
  month,           // -M: no month, then JAN to DEC
  version,         // -V: as GNU's filevercmp
  random,          // -R: by a hash of the piece

  // Orders that GNU sort does not have. The CPU reads these keys.
  natural,   // bytes and numbers alternate; a number is compared by its value, and comes where '0' comes among the bytes
  duration,  // times such as 90s, 1h30m, 2 days, 1:30:00 and 2-12:00:00, exact to the nanosecond; other pieces first
  date,      // a date in order::date_format; other pieces come first
  address,   // IPv4, then IPv6, each by its bytes, then by the length of a prefix (CIDR), the zone and the port, as in
             // 10.0.0.0/8, 10.0.0.1:80, fe80::1%eth0 and [::1]:80; other pieces first
  listed,    // the pieces of order::listed in the order of that list, then all others by their bytes
  length     // the number of bytes, or of characters in a locale of UTF-8
};

/// The release of GNU coreutils whose rules apply.
enum class gnu_rules : std::uint8_t {
  current,  // 9.11
  v9_1      // no units R and Q, NaNs by their bytes, a version that begins with '.' may be a suffix as a whole, and the byte
            // 0x80 separates thousands in a locale without such a separator
};

/// Finds what a key compares in its piece of the line. Threads call it at the same time.
class piece_finder {
 public:
  virtual ~piece_finder() = default;
  /// Returns a part of the piece, a constant, or `made`, which is empty and may be filled; without data if there is none. The
  /// same piece has the same. Exceptions end the sort.
  [[nodiscard]] virtual std::string_view find(std::string_view piece, std::string& made) const = 0;
};

/// The place of lines in which a key finds nothing, or nothing but blanks, whatever its type.
enum class empty_values : std::uint8_t {
  by_type,  // the place that the type gives them; a number that is missing is 0
  first,    // before all others, or after them if the key is reversed. Only what a finder does not find counts as nothing
  last      // after all others, also if the key is reversed
};

/// A piece of a line, and how it is compared. Fields and characters are counted from 0. A piece that begins after its end, or
/// after the end of the line, is empty.
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
  empty_values empty = empty_values::by_type;  // other places are the CPU's work

  /// If set, the CPU reads the key: what is found in the piece is compared, without the blanks before it if
  /// `skip_blanks_at_first`.
  std::shared_ptr<piece_finder const> finder = {};  // initialised: g++ warns of designated initializers without it

  friend bool operator==(key const&, key const&) = default;
};

/// Keys are compared one after the other until one differs. Lines with equal keys are compared as whole lines, as are all lines
/// if there are no keys.
struct order {
  std::vector<key> keys;
  bool reverse = false;           // for whole lines; keys have their own
  bool last_resort = true;        // false: lines with equal keys are equal, and keep the order of the text
  std::optional<char> separator;  // between fields; none: a field is blanks and the bytes after them that are none
  std::array<unsigned char, 16> random_seed = {};  // for key_type::random
  /// The locale of letters, blanks, numbers, months and collation. The system has to know it, unless it is C or POSIX. Keys of
  /// key_type::bytes and whole lines compare as by its strcoll, and lines that are equal by it are equal. May be a name of
  /// glibc with a locale for each category: "LC_CTYPE=de_DE.UTF-8;LC_NUMERIC=C;LC_COLLATE=C;...".
  std::string locale = "C";
  gnu_rules rules = gnu_rules::current;
  /// Fields are those of RFC 4180: a field that begins with '"' ends after the next '"' that is not doubled, and may contain
  /// separators and delimiters. Keys compare it without its quotes. A '\r' at the end of a line belongs to no field. The
  /// separator must be set.
  bool quoted = false;
  /// For key_type::date: conversions of strptime, and %f for the digits of a fraction of a second. Empty: ISO 8601, as
  /// 2026-11-30, 2026-11-30T12:00:00.5Z and 2026-11-30 12:00+01:00. Times without a zone are in UTC.
  std::string date_format;
  std::shared_ptr<std::vector<std::string> const> listed;  // for key_type::listed; a value that is repeated counts once

  /// Returns the name of the locale of collation.
  [[nodiscard]] std::string_view collation() const {
    constexpr std::string_view category = "LC_COLLATE=";
    std::string_view name = locale;
    std::size_t const at = name.find(category);
    if (at == name.npos) return name;
    name.remove_prefix(at + category.size());
    return name.substr(0, name.find(';'));
  }
  /// Returns true if the order of bytes is not the order of the locale. In C.UTF-8 it is.
  [[nodiscard]] bool is_collated() const {
    std::string_view const name = collation();
    return name != "C" && name != "POSIX" && name != "C.UTF-8" && name != "C.utf8";
  }
  /// Returns true if whole lines are compared, by their bytes.
  [[nodiscard]] bool is_plain() const { return keys.empty() && !is_collated(); }
};

}  // namespace ordo::inline v0::strings
#pragma GCC visibility pop
