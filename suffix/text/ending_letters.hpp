#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "ordo/suffix/policy.hpp"

namespace ordo::suffix::detail {

/// Which letters are not in the text, and have a record end before them.
constexpr std::array<bool, 256> ending_letters(policy const& which) {
  std::array<bool, 256> ends{};
  for (unsigned byte = 0; byte < 256; ++byte)
    ends[byte] = (which.ambiguous == ambiguous_letters::breaks && !is_nucleotide(static_cast<unsigned char>(byte))) ||
                 (which.masked == masked_letters::breaks && byte >= 'a' && byte <= 'z');
  return ends;
}

/// Are only nucleotides a text for it?
constexpr bool needs_nucleotides(policy const& which) {
  return which.strands == strands::both || which.ambiguous != ambiguous_letters::symbol;
}

/// Letters that a thread takes at a time.
constexpr std::size_t letters_at_once = std::size_t{1} << 18;

}  // namespace ordo::suffix::detail
