#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The copies of a duplicate that are kept: `none`, or the `first`, which has the smallest position. Copies may overlap.
enum class kept_copies { none, first };

inline constexpr std::array<std::string_view, 2> kept_copies_words{"none", "first"};

/// Positions of a text, [begin, end), in one record.
struct duplicate_range {
  std::size_t record = 0;
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(duplicate_range const&, duplicate_range const&) = default;
};

struct duplicate_options {
  std::uint64_t min_length = 0;            // residues, above 0
  kept_copies keep = kept_copies::first;
  /// Shortens ranges to whole characters of UTF-8: neither begins nor ends before a continuation byte.
  bool whole_characters = false;
  unsigned threads = 0;  // 0: all
};

/// Calls on_range(range) for all maximal ranges of residues that are copies, in order of position. A residue is in one if it lies
/// in some string of min_length residues of its record that occurs more than once in the text, for `first` at a smaller position.
/// Between two ranges is a residue in none of them, or the end of a record.
///
/// Let D(p) be the length of the longest string at p that is a copy. D(p + 1) is at least D(p) - 1. So the last of adjacent
/// positions p with D(p) >= min_length has D(p) = min_length, and one bit a position marks all ranges. Time O(n). Temporary memory:
/// a bit a position.
/// @param sa, lcp  of all rows
/// @returns the number of residues in all ranges
/// @throws input_error  naming `name` and the row, if sa holds no position of the text
/// @throws usage_error  arrays of the wrong size, a min_length of 0
std::uint64_t find_duplicates(text const& input, entries sa, entries lcp, duplicate_options const& options,
                              std::function<void(duplicate_range const&)> const& on_range,
                              std::string const& name = "suffix array");

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
