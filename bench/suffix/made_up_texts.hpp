#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "ordo/host_bytes.hpp"

// Generated texts for the benchmark of suffix arrays, the same on every machine.
namespace ordo::inline v0::bench {

/// Returns the kinds with their descriptions: "random-dna (...), ...".
std::string made_up_kinds();

/// Returns a function that generates a text.
/// @param kind  "KIND:LENGTH", as in "genome:1G": k, m and g are 10^3, 10^6 and 10^9
/// @throws usage_error for an unknown kind, or a length that is 0 or not a number
std::function<host_bytes()> made_up_text(std::string const& kind);

}  // namespace ordo::inline v0::bench
