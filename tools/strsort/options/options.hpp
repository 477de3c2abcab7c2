#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tools/cli/options/option_table.hpp"
#include "tools/strsort/options/command.hpp"

namespace ordo::inline v0::strsort {

inline constexpr std::string_view ordering_group = "Ordering options", other_group = "Other options",
                                  own_group = "Options that GNU sort does not have";

/// The release of GNU coreutils whose sort is the specification.
inline constexpr std::string_view newest_rules = "9.11", oldest_rules = "9.1";

/// Returns strsort's options: those of GNU sort in the order in which its messages name them, then the others. Their actions
/// refer to the command and the caller.
cli::command_table make_table(command& to, caller const& by);
[[nodiscard]] inline bool is_gnu(cli::option const& o) {
  return o.group == ordering_group || o.group == other_group;
}

/// A number at the beginning of a text, as GNU's programs read it: blanks, a plus sign and leading zeros count for nothing.
struct number {
  std::uint64_t value = 0;  // the maximum if it is too large
  std::size_t digits = 0;
  bool too_large = false;
  std::string_view rest;  // rest of the text
};
number read_number(std::string_view text);

/// An option's value, and the option as it was written: -S or --buffer-size.
struct option_value {
  std::string_view option, value;
  caller const& by;
};

/// Parses the bytes of -S. Without a suffix the number is multiplied by 1024. @throws usage_error  in GNU's words
std::uint64_t parse_size(option_value const& given);
/// Parses a number of threads and returns at most the number of processors. @throws usage_error
unsigned parse_parallel(option_value const& given);
/// Parses the number of inputs of a merge: at most the number of files that can be open. @throws usage_error
std::uint64_t parse_batch_size(option_value const& given);
/// Parses the digits of --head. @throws usage_error
std::uint64_t parse_head(option_value const& given);
/// Parses digits of a number from 1 to `max`. @throws usage_error
std::uint64_t parse_positive(option_value const& given, std::uint64_t max);

}  // namespace ordo::inline v0::strsort
