#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "spectra/mgf/scan.hpp"

namespace ordo::spectra::detail {

/// Puts the peak lines of one spectrum in order, where they lie. slots[j] are the lines as they stand in `text`; to the j-th
/// slot comes line order[j] - base. What lies between the slots keeps its place in the sequence. If `unterminated`, the last
/// line has no line end: it takes that of the line which comes last.
/// @param text  may be read behind the last slot
/// @param scratch  memory for one spectrum, used again
void permute_lines(std::span<char> text, std::span<peak const> slots, std::span<std::uint32_t const> order, std::uint32_t base,
                   bool unterminated, std::vector<char>& scratch);

}  // namespace ordo::spectra::detail
