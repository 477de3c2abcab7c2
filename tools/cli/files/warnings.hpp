#pragma once
#include <string_view>

namespace ordo::inline v0::cli {

/// Prints the line "tool: warning: text" to stderr, unless warnings are off or no tool runs. For code that does not know the tool.
void warn(std::string_view text) noexcept;
/// Turns off warn().
void quiet_warnings() noexcept;
/// Sets the function by which warn() prints: run_main's, which knows the tool and clears the progress line.
void print_warnings_with(void (*print)(std::string_view text) noexcept) noexcept;

}  // namespace ordo::inline v0::cli
