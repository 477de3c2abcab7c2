#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/letters.hpp"

namespace ordo::suffix {

/// Sets at[p] to how often the `length` letters from position p on occur in the text, in records; to 0 where p's record has no
/// more so many, and where one of them is none of `letters`. Count is std::uint32_t or std::uint64_t and holds n. Two passes
/// over sa and lcp, by `threads` threads (0: all). Memory: for `nucleotides` a bit for each letter of the text.
/// @returns how many positions have so many letters in their record, but not of `letters` alone
/// @throws input_error  naming `name` and the row, if sa holds no position of the text
/// @throws usage_error  `at` is not as long as the text, or lcp not as long as sa
template <class Count>
std::uint64_t count_occurrences(text const& input, entries sa, entries lcp, std::uint64_t length, letter_choice letters,
                                std::span<Count> at, std::string const& name = "suffix array", unsigned threads = 0);

}  // namespace ordo::suffix
