#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/matches.hpp"

namespace ordo::inline v0::suffix::detail {

/// Appends the matches that match_finder::find finds in parts of queries by an index of runs, which has no text.
/// @param k  letters that are searched for at some offsets: at most the minimum length
/// @throws as match_finder::find
void find_in_runs(fm_index const& index, match_options const& options, std::uint64_t k, std::span<query_part const> parts,
                  std::vector<match>& matches, std::span<std::size_t> ends);

}  // namespace ordo::inline v0::suffix::detail
