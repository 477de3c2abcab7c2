#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suffix/suffix.hpp"

namespace ordo::suffix {

/// Rows [begin, end) of a suffix array.
struct row_range {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};

/// The rows of the suffixes that begin with the pattern; all rows for an empty one. Two binary searches:
/// O(log n (pattern.size() + log records)). Index is std::uint32_t or std::uint64_t.
/// @throws input_error  naming `name` and the row, if a row that is looked at holds no position of the text
template <class Index>
row_range find(text const& input, std::span<Index const> sa, std::string_view pattern,
               std::string const& name = "suffix array");

/// Where the pattern begins in the text: the positions of those rows, in ascending order. @throws as find
template <class Index>
std::vector<std::uint64_t> locate(text const& input, std::span<Index const> sa, std::string_view pattern,
                                  std::string const& name = "suffix array");

}  // namespace ordo::suffix
