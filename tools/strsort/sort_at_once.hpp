#pragma once
#include <optional>

namespace ordo::inline v0::strsort {

/// Sorts a few lines before anything is loaded that only more lines or other options need: libraries, a locale, threads, the
/// drivers of GPUs. Scripts call sort thousands of times, and most of a call's time would be its start.
/// @returns the exit status; nothing if the program has to do the work, and report every error. Then nothing has been written,
///          and the program reads the same input.
std::optional<int> sort_at_once(int argc, char** argv) noexcept;

}  // namespace ordo::inline v0::strsort
