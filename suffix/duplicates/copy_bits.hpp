#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ordo/detail/load.hpp"
#include "ordo/suffix/duplicates.hpp"

namespace ordo::inline v0::suffix::detail {

/// A bit for each position; it is set if a copy of min_length residues begins there.
using copy_bits = std::vector<std::uint64_t>;

/// Sets the bit of a position. Several threads may set bits at the same time.
inline void mark(copy_bits& bits, std::uint64_t p) {
  or_relaxed(&bits[p / 64], std::uint64_t{1} << (p % 64));
}

/// Sets the bits of positions [p, p + count).
inline void mark(copy_bits& bits, std::uint64_t p, std::uint64_t count) {
  while (count > 0) {
    std::uint64_t const shift = p % 64, here = std::min<std::uint64_t>(count, 64 - shift);
    or_relaxed(&bits[p / 64], (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << shift);
    p += here;
    count -= here;
  }
}

/// Returns a number that is the smallest one for the record whose copies are kept: the longest or the best one. Of several, the
/// first record counts. With other options all records are equal.
inline std::uint64_t record_order(text const& input, duplicate_options const& options, std::size_t record) {
  if (options.keep == kept_copies::longest) return ~std::uint64_t{0} - (input.end(record) - input.begin(record));
  if (options.keep != kept_copies::best) return 0;
  double const score = options.scores[record];
  if (std::isnan(score)) return ~std::uint64_t{0};
  auto const bits = std::bit_cast<std::uint64_t>(score + 0.0);  // the two zeros are equal
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? bits : ~(bits | sign);
}

/// Returns true if the copies that are kept depend on their record.
inline bool compares_records(duplicate_options const& options) {
  return options.keep == kept_copies::longest || options.keep == kept_copies::best;
}

/// Checks min_length, whole_characters, units and scores. @throws usage_error
void check(text const& input, duplicate_options const& options);

/// Calls on_range for the ranges of some records that marked strings cover.
/// @returns the number of residues in all ranges
std::uint64_t report_ranges(std::span<std::uint64_t const> bits, text const& input, duplicate_options const& options,
                            std::size_t first_record, std::size_t last_record,
                            std::function<void(duplicate_range const&)> const& on_range);

}  // namespace ordo::inline v0::suffix::detail
