#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ordo/communicator.hpp"

namespace ordo::inline v0::detail {

/// Returns the strings of all members. Collective. Memory: the longest for each member, twice.
inline std::vector<std::string> gather_strings(communicator& members, std::string const& own) {
  auto const sizes = members.all_gather(std::uint64_t(own.size()));
  std::uint64_t const longest = *std::ranges::max_element(sizes);
  std::string padded = own;
  padded.resize(longest);
  std::string all(longest * members.size(), '\0');
  members.all_gather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> strings;
  for (std::size_t m = 0; m < members.size(); ++m) strings.push_back(all.substr(m * longest, sizes[m]));
  return strings;
}

}  // namespace ordo::inline v0::detail
