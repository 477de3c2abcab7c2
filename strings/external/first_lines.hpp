#pragma once
#include <cstddef>

#include "ordo/strings.hpp"

namespace ordo::inline v0::strings::detail {

/// Writes the first of lines with equal keys, or of equal lines if there are no keys, in the order of the input. Lines are
/// written as they are read. Memory: the distinct keys. options.head limits the lines of the output.
/// @param memory  the maximum memory of the keys @throws out_of_memory  if that does not suffice; usage_error  for an order
/// that collates, in which codes do not decide whether lines are equal
sort_report write_first_lines(texts const& from, sink& to, sort_options const& options, std::size_t memory,
                              phase_observer const& began);

}  // namespace ordo::inline v0::strings::detail
