#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "suffix/suffix.hpp"

namespace ordo::suffix {

/// What the records of a text are: those that were read, or each of them followed by its reverse complement.
enum class strands { forward, both };

/// Where letters of a text are in a record that was read. `offset` counts from the record's begin on the forward strand to the
/// first of the letters there, which is the last one of a reverse complement.
struct place {
  std::size_t record = 0;
  std::uint64_t offset = 0;
  bool reverse = false;
  friend auto operator<=>(place const&, place const&) = default;
};

/// Of `length` letters from position p on, all within one record of the text, which is given.
[[nodiscard]] inline place place_of(text const& input, strands which, std::size_t record, std::uint64_t p,
                                    std::uint64_t length) noexcept {
  if (which == strands::forward) return {record, p - input.begin_of(record), false};
  if (record % 2 == 0) return {record / 2, p - input.begin_of(record), false};
  return {record / 2, input.end_of(record) - p - length, true};
}

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
