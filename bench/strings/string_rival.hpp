#pragma once
#include <string_view>
#include <vector>

// The rival of the string sort, if one was built.
namespace ordo::inline v0::bench {

/// Returns its name, or an empty string.
std::string_view string_rival();
/// Sorts NUL-terminated strings by their bytes, with all threads that the process may use.
void sort_by_rival(std::vector<unsigned char const*>& strings);

}  // namespace ordo::inline v0::bench
