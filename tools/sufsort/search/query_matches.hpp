#pragma once
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "ordo/suffix/matches.hpp"
#include "tools/sufsort/search/searched_index.hpp"

// The matches of a query on both strands, as mem prints them and Python returns them.
namespace ordo::inline v0::sufsort {

/// Gives a match its strand, and the offset in the query on its forward strand.
/// @param reverse  true if the reverse complement of the query was searched @param size  the length of the query
inline void orient(suffix::match& match, searched_index const& index, bool reverse, std::uint64_t size) {
  match.reverse = reverse || (index.both_strands && index.is_reverse(match.position));
  if (reverse) match.query_begin = size - match.query_begin - match.length;
}

/// Orders all matches of a query as they are found in one strand of the text after the other.
/// @param to_location  returns the location of a match
template <class ToLocation>
void order_by_strand(std::vector<suffix::match>& matches, std::uint64_t size, ToLocation const& to_location) {
  std::ranges::stable_sort(matches, {}, [&](suffix::match const& match) {
    std::uint64_t const begin = match.reverse ? size - match.query_begin - match.length : match.query_begin;
    return std::tuple(match.reverse, begin, to_location(match));
  });
}

}  // namespace ordo::inline v0::sufsort
