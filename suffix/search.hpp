#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "suffix/suffix.hpp"

namespace ordo::suffix {

/// Rows [begin, end) of a suffix array.
struct row_range {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};

/// The rows of the suffixes that begin with the pattern; all rows for an empty one. Two binary searches:
/// O(log n (pattern.size() + log records)). Index is std::uint32_t or std::uint64_t.
template <class Index>
row_range find(text const& input, std::span<Index const> sa, std::string_view pattern);

}  // namespace ordo::suffix
