#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"

namespace ordo::inline v0 {

/// Returns the index of the first of `count` ascending bounds that is not less than x; count if there is none.
template <class T>
ORDO_FN std::size_t first_bound(T const* bounds, std::size_t count, std::uint64_t x) {
  std::size_t low = 0, high = count;
  while (low < high) {
    std::size_t const middle = low + (high - low) / 2;
    if (bounds[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace ordo::inline v0
