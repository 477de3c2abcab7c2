#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordo/suffix.hpp"

namespace ordo::suffix {

/// text::record_of in constant time on average, for many positions. Memory: 16 bytes a record.
class record_finder {
 public:
  /// @param input  its starts must outlive this
  explicit record_finder(text const& input);

  /// The record that holds position p, p in [0, n).
  [[nodiscard]] std::size_t operator()(std::uint64_t p) const noexcept {
    if (records_ == 1) return 0;
    std::size_t const bucket = p >> shift_;
    std::uint64_t const *low = starts_ + first_[bucket], *high = starts_ + first_[bucket + 1] + 1;
    while (high - low > 1) {  // starts in [low, high): the last one that is not behind p
      auto const* const middle = low + (high - low) / 2;
      (*middle <= p ? low : high) = middle;
    }
    return std::size_t(low - starts_);
  }

 private:
  std::uint64_t const* starts_ = nullptr;
  std::size_t records_ = 1;
  unsigned shift_ = 0;
  std::vector<std::size_t> first_;  // the record at the begin of each bucket of 2^shift_ positions; the last one at the end
};

}  // namespace ordo::suffix
