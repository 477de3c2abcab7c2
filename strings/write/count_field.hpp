#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "ordo/detail/fn.hpp"
#include "ordo/strings.hpp"

// What stands in front of a line that is counted: as printf's "%7d " has it.
namespace ordo::strings::detail {

[[nodiscard]] constexpr bool is_counted(repeated equal) {
  return equal == repeated::count || equal == repeated::by_count;
}
/// The order that puts counted lines by_count: that of `sort -rn`.
order by_falling_count();

ORDO_FN constexpr std::size_t count_width(std::uint64_t count) {
  std::size_t digits = 1;
  for (; count >= 10; count /= 10) ++digits;
  return (digits < 7 ? 7 : digits) + 1;
}

/// Byte i of a field of `width` bytes. @param count  more than 0
ORDO_FN constexpr unsigned char count_byte(std::uint64_t count, std::size_t width, std::size_t i) {
  if (i + 1 == width) return ' ';
  for (std::size_t digit = width - 2; digit > i; --digit) count /= 10;
  return count == 0 ? static_cast<unsigned char>(' ') : static_cast<unsigned char>('0' + count % 10);
}

inline void append_count(std::string& to, std::uint64_t count) {
  to.append(count_width(count), ' ');
  for (std::size_t at = to.size() - 1; count != 0; count /= 10) to[--at] = char('0' + count % 10);
}

}  // namespace ordo::strings::detail
