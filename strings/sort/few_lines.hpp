#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "ordo/strings/line_comparison.hpp"
#include "ordo/strings/order.hpp"

namespace ordo::inline v0::strings::detail {

/// Returns what takes less time for this number of comparisons: strcoll, or reading the tables of a locale and comparing by
/// them.
collation_by collation_for(std::size_t comparisons);

/// Returns the lines of a text in order. Sorts them on this thread, by the first codes of their keys and then by the others,
/// which takes less time for few lines than starting threads.
/// @param text  ends with a delimiter, or is empty
/// @param drop  return only the first of lines with equal keys
/// @throws usage_error  for a locale that the system does not know
std::string sort_few_lines(std::string_view text, order const& by, char delimiter, bool drop);

}  // namespace ordo::inline v0::strings::detail
