#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/detail/fn.hpp"

namespace ordo::inline v0::cuda_detail {

/// Returns the position of key i of a sample within its stride: the fractional part of i times the golden ratio, of the stride.
/// So in an ordered array the bits of i do not determine the keys' lower bits.
ORDO_FN inline std::size_t place_in_stride(std::size_t i, std::size_t stride) {
  return std::size_t(std::uint64_t{std::uint32_t(i * 2654435761u)} * stride >> 32);
}

}  // namespace ordo::inline v0::cuda_detail
