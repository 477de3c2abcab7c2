#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ordo/strings/order.hpp"
#include "tools/strsort/options/command.hpp"

/// The output of --debug, as GNU sort prints it.
namespace ordo::inline v0::strsort {

/// Returns warnings of options that look like mistakes, a line each.
std::vector<std::string> remarks(command const& made, strings::order const& by);

/// Returns the line, then a line for each key that underlines it, and one for the whole line if the last resort applies. Tabs
/// are shown as '>'.
std::string annotated(std::string_view line, strings::order const& by);

}  // namespace ordo::inline v0::strsort
