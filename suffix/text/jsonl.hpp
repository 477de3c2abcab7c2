#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "ordo/suffix/corpus.hpp"

namespace ordo::inline v0::suffix::detail {

/// Replaces the records from `first` on, each a JSON value, by one of its strings.
/// @param name  of the file whose lines they are, for messages
/// @param field  the names that lead to the string, separated by '.'
/// @param lines  of the file that precede these
/// @throws input_error  naming file and line
void take_strings(corpus& to, std::size_t first, std::string const& name, std::string const& field, std::uint64_t lines = 0);

}  // namespace ordo::inline v0::suffix::detail
