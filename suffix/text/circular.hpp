#pragma once
#include <cstddef>

#include <fmt/format.h>

#include "ordo/error.hpp"
#include "ordo/suffix.hpp"

namespace ordo::inline v0::suffix::detail {

/// Checks what says of each record of a text whether it is circular. @throws usage_error  for another number, and for tokens
inline void check_circular(text const& input, std::size_t flags) {
  if (input.residue_bytes != 1) throw usage_error("no letters: circular records: the text is of tokens");
  if (flags != input.records())
    throw usage_error(fmt::format("wrong array size: circular records: {} of {}", flags, input.records()));
}

}  // namespace ordo::inline v0::suffix::detail
