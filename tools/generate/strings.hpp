#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/generate/sink.hpp"

namespace ordo::inline v0::generate {

struct strings_options {
  std::string_view set;
  double scale = 1;  // scale of the number of lines
  std::uint64_t seed = 1;
};

/// The ten sets of the string sorting paper (Deshpande and Narayanan, HiPC 2013, table I), made anew: as many lines, of the
/// same lengths and nearly the same common prefixes. The names, and at scale 1 the numbers of lines.
struct string_set_facts {
  std::string_view name;
  std::size_t lines;
};
std::vector<string_set_facts> string_sets();

/// Writes one of them, a string a line.
/// @returns the number of lines. @throws usage_error for a set that is none
std::size_t write_strings(strings_options const& options, sink& out);

}  // namespace ordo::inline v0::generate
