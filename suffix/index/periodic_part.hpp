#pragma once
#include <cstdint>

#include "ordo/detail/fn.hpp"
#include "suffix/text/common_prefix.hpp"

namespace ordo::inline v0::suffix {

/// The letters of a query.
struct query_letters {
  char const* data;
  std::uint64_t size;
};

/// A part of a query whose letters are those a period later, as in a tandem repeat. Remembers what was compared, so that walks
/// which come back to the same part with offsets that move in one direction compare each letter about once.
class periodic_part {
 public:
  /// Returns true if the letters at [begin, end), which is not empty, are those `period` letters later.
  ORDO_FN bool has(char const* query, std::uint64_t period, std::uint64_t begin, std::uint64_t end) {
    auto const equal = [&](std::uint64_t from, std::uint64_t to) {
      return from >= to || common_prefix(query + from, query + from + period, to - from) == to - from;
    };
    if (period != period_ || begin > end_ || end < begin_) {
      if (!equal(begin, end)) return false;
      period_ = period;
      begin_ = begin;
      end_ = end;
      return true;
    }
    if (!equal(begin, begin_) || !equal(end_, end)) return false;
    if (begin < begin_) begin_ = begin;
    if (end > end_) end_ = end;
    return true;
  }
  [[nodiscard]] ORDO_FN std::uint64_t period() const noexcept { return period_; }

 private:
  std::uint64_t period_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace ordo::inline v0::suffix
