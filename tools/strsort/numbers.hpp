#pragma once
#include <cstdint>
#include <string_view>

#include "tools/strsort/gnu_messages.hpp"

/// Numbers of the command line, as GNU's programs read them: blanks, a plus sign and leading zeros are nothing.
namespace ordo::strsort {

struct number {
  std::uint64_t value = 0;  // the greatest there is, if it is too large
  std::size_t digits = 0;
  bool too_large = false;
  std::string_view rest;  // behind it
};
number read_number(std::string_view text);

/// An option's value and the option as it was written: -S or --buffer-size.
struct value_of {
  std::string_view option, value;
  caller const& by;
};

/// Bytes of -S: K is 1024 and what is meant without a suffix. @throws usage_error in GNU's words
std::uint64_t parse_size(value_of const& given);
/// Threads; more than processors gain nothing, so it is not more than those. @throws usage_error
unsigned parse_parallel(value_of const& given);
/// Inputs of a merge: not more than files can be open. @throws usage_error
std::uint64_t parse_batch_size(value_of const& given);
/// Lines of --head: digits. @throws usage_error
std::uint64_t parse_head(value_of const& given);

}  // namespace ordo::strsort
