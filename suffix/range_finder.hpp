#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/fn.hpp"

namespace ordo::suffix::detail {

/// Which of some ranges of keys, one behind the other, a key is in.
class range_finder {
 public:
  static constexpr unsigned most = 15;   // ranges
  static constexpr unsigned none = 255;  // what is returned for a key that is in none

  /// @param first  the first key of the first range @param lasts  the last key of each, ascending, at least one
  range_finder(std::uint64_t first, std::span<std::uint64_t const> lasts)
      : first_(first),
        span_(lasts.back() - first),
        shift_(std::max(unsigned(std::bit_width(span_)), slot_bits) - slot_bits),
        count_(unsigned(lasts.size())) {
    std::ranges::copy(lasts, lasts_);
    unsigned range = 0;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      while (range + 1 < count_ && (lasts_[range] - first_) >> shift_ < slot) ++range;
      range_of_slot_[slot] = std::uint16_t(range);
    }
    range_of_slot_[slots] = std::uint16_t(count_ - 1);
  }

  [[nodiscard]] unsigned count() const { return count_; }

  ORDO_FN unsigned operator()(std::uint64_t key) const {
    std::uint64_t const behind = key - first_;
    if (behind > span_) return none;
    unsigned low = range_of_slot_[behind >> shift_], high = range_of_slot_[(behind >> shift_) + 1];
    while (low < high) {  // the first range that does not end before the key
      unsigned const middle = (low + high) / 2;
      if (lasts_[middle] < key)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  static constexpr unsigned slot_bits = 12;
  static constexpr std::size_t slots = std::size_t{1} << slot_bits;

  std::uint64_t first_, span_;
  unsigned shift_, count_;
  std::uint64_t lasts_[most] = {};
  std::uint16_t range_of_slot_[slots + 1];  // in which, or behind which, the first key of a slot is
};

}  // namespace ordo::suffix::detail
