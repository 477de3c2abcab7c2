#pragma once
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "ordo/error.hpp"

namespace ordo::inline v0::suffix::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_position(std::uint64_t position, std::uint64_t residues,
                                                                   std::string_view array, std::uint64_t row) {
  throw input_error(
      fmt::format("bad index: {}: row {}: position {} of {}", array, row, position, quantity(residues, "residue")));
}

/// Returns a position in a row of a suffix array. @param array  its name, for messages
/// @throws input_error  if the text has no such position
inline std::uint64_t checked_position(std::uint64_t position, std::uint64_t residues, std::string_view array,
                                      std::uint64_t row) {
  if (position >= residues) refuse_position(position, residues, array, row);
  return position;
}

}  // namespace ordo::inline v0::suffix::detail
