#pragma once
#include <string>
#include <string_view>

#include "ordo/io.hpp"
#include "ordo/strings/order.hpp"

/// The output of --explain.
namespace ordo::inline v0::strsort {

/// Describes each key in words and, for each, the first two adjacent lines that it decides. The lines are those at the
/// beginning of `from`. @param header  the header of the input, without which columns have no names
std::string explained(strings::order const& by, char delimiter, std::string_view header, source& from);

}  // namespace ordo::inline v0::strsort
