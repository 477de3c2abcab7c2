#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/communicator.hpp"

namespace ordo::inline v0::detail {

/// Implements communicator::reduce by all_gather, for members that have nothing faster.
inline void reduce_gathered(communicator& members, std::span<std::uint64_t> values, reduction by) {
  std::vector<std::uint64_t> const own(values.begin(), values.end());
  std::vector<std::uint64_t> all(members.size() * own.size());
  members.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = all[i];
    for (std::size_t m = 1; m < members.size(); ++m) {
      std::uint64_t const other = all[m * own.size() + i];
      values[i] = by == reduction::sum   ? values[i] + other
                  : by == reduction::min ? std::min(values[i], other)
                                         : std::max(values[i], other);
    }
  }
}

}  // namespace ordo::inline v0::detail
