#pragma once
#include <optional>
#include <string>
#include <string_view>

/// Times that people write. Text after them does not count.
namespace ordo::inline v0::strings::detail {

/// Returns the nanoseconds of a time such as 90s, 1h30m or 1:30:00, or nothing if the text does not begin with one.
std::optional<long double> read_duration(std::string_view text);

/// Returns the nanoseconds from 1970 to a date, or nothing if the text does not begin with one.
/// @param format  conversions of strptime; %f is the digits of a fraction of a second; empty: ISO 8601
/// @throws input_error  for a date whose zone, by %Z, is neither UTC, GMT, Z nor an offset
std::optional<long double> read_date(std::string const& text, std::string const& format);

}  // namespace ordo::inline v0::strings::detail
