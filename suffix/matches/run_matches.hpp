#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/matches.hpp"

namespace ordo::inline v0::suffix::detail {

/// Appends the matches that match_finder::find finds, in some order, by an index of runs, which has no text.
/// @throws as match_finder::find
void find_in_runs(fm_index const& index, match_options const& options, std::string_view query, std::uint64_t begin,
                  std::uint64_t end, std::vector<match>& matches);

}  // namespace ordo::inline v0::suffix::detail
