#pragma once
#include <cstddef>

namespace ordo::suffix::detail {

/// Consecutive places of the order, whose suffixes come neither before nor behind those of other places.
struct place_range {
  std::size_t first, count;
};

}  // namespace ordo::suffix::detail
