#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "suffix/entries.hpp"
#include "suffix/suffix.hpp"

namespace ordo::suffix {

/// at[p] := how often the `length` letters from position p on occur in the text, in records; 0 where p's record has no more so
/// many. Count is std::uint32_t or std::uint64_t and holds n. Two passes over sa and lcp, by `threads` threads (0: all).
/// @throws input_error  naming `name` and the row, if sa holds no position of the text
/// @throws usage_error  `at` is not as long as the text, or lcp not as long as sa
template <class Count>
void count_occurrences(text const& input, entries sa, entries lcp, std::uint64_t length, std::span<Count> at,
                       std::string const& name = "suffix array", unsigned threads = 0);

}  // namespace ordo::suffix
