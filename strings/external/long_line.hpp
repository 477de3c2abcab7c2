#pragma once
#include <cstddef>

#include <fmt/format.h>

#include "base/large_blocks.hpp"

namespace ordo::inline v0::strings::detail {

/// Calls grow(), which makes room for more of a line of which `bytes` bytes were read. @throws out_of_memory  which says so
template <class Grow>
void grow_line(std::size_t bytes, Grow grow) {
  try {
    grow();
  } catch (...) {
    ordo::detail::rethrow_refused_block(fmt::format("input: a line of more than {} bytes", bytes));
  }
}

}  // namespace ordo::inline v0::strings::detail
