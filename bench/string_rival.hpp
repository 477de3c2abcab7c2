#pragma once
#include <string_view>
#include <vector>

// A sort of strings to compare with, if one is at hand.
namespace ordo::bench {

/// Its name, or nothing.
std::string_view string_rival();
/// Sorts strings that end with NUL by their bytes, with all threads that the process may use.
void sort_by_rival(std::vector<unsigned char const*>& strings);

}  // namespace ordo::bench
