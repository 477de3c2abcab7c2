#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "ordo/host_bytes.hpp"

// Texts for the benchmark of suffix arrays: the same on every machine.
namespace ordo::bench {

/// The kinds, each with what it is: "random-dna (...), ...".
std::string made_up_kinds();

/// What makes the text when it is called.
/// @param what  "KIND:LENGTH", as "genome:1G": k, m and g are 10^3, 10^6 and 10^9
/// @throws usage_error for a kind that is none or a length that is no number or 0
std::function<host_bytes()> made_up_text(std::string const& what);

}  // namespace ordo::bench
