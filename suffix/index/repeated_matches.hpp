#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/suffix/search.hpp"
#include "suffix/index/periodic_part.hpp"

namespace ordo::inline v0::suffix {

/// The last long matches that searches found in a query. A tandem repeat has the letters of a match, and the one after them,
/// again some periods away: there no search is needed.
class repeated_matches {
 public:
  /// Unrelated sequences share fewer letters.
  static constexpr std::uint64_t short_match = 24;

  struct match_at {
    std::uint64_t begin = 0, end = 0;
    fm_interval rows;
  };

  /// Adds a match, unless it is short.
  ORDO_FN void add(match_at const& match) {
    if (match.end - match.begin >= short_match) last_[num_added_++ % size] = match;
  }
  /// Finds a match whose letters, and the one after them, are at an offset, too, and which ends in (after, before) there. Sets
  /// `to` to it at that offset.
  /// @param before  at most query.size
  ORDO_FN bool find(query_letters query, std::uint64_t offset, std::uint64_t after, std::uint64_t before, match_at& to) {
    for (match_at const& match : last_) {
      std::uint64_t const length = match.end - match.begin, end = offset + length;
      if (length == 0 || end <= after || end >= before || match.end >= query.size) continue;
      bool const is_later = match.begin > offset;
      std::uint64_t const first = is_later ? offset : match.begin, second = is_later ? match.begin : offset;
      if (!part_.has(query.data, second - first, first, first + length + 1)) continue;
      to = {offset, end, match.rows};
      return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t size = 4;
  match_at last_[size];
  std::size_t num_added_ = 0;
  periodic_part part_;
};

}  // namespace ordo::inline v0::suffix
