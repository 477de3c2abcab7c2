#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/letters.hpp"

namespace ordo::suffix {

/// Which letters no repeat holds: each of them differs from all others, from those of its kind, too, as the ends of records
/// do. So letters that repeat up to an N are a repeat, whatever is behind the N. By default there are none.
struct letters_apart {
  entries sa = {};                                 // of the text
  ambiguous_positions const* positions = nullptr;  // theirs
};

/// Letters that occur more than once, and not always behind the same letter, and not always before the same letter; so no
/// longer letters occur at all of these places. What is before a record's begin, and behind its end, is no letter, and differs
/// from any other record's.
struct repeat {
  std::uint64_t length = 0;
  row_range rows;  // of the suffixes that begin with it
};

/// Calls found(repeat) for every maximal repeat of `least` letters or more, `least` above 0. One that is the beginning of
/// others comes behind these; else they come in suffix order. There are fewer than there are rows. One pass, O(n); memory: 24
/// bytes for each of the repeats that contain one another, at most the longest one's letters. (Abouelhoda, Kurtz and Ohlebusch,
/// J. Discrete Algorithms 2004, section 4.)
/// @param bwt  the rows of sa only: n bytes; a '$' is a record's begin
void find_repeats(entries lcp, std::span<char const> bwt, letters_apart const& apart, std::uint64_t least,
                  std::function<void(repeat const&)> const& found);

/// A maximal pair: two occurrences of the same letters, which differ in the letter before, and in the letter behind.
struct repeat_pair {
  std::uint64_t length = 0;
  std::size_t row, other_row = 0;
};

/// How many pairs of a repeat there are, of which at most so many are told.
struct pairs_of_repeat {
  repeat of;
  std::uint64_t pairs = 0;
};

/// Calls found(pair) for every maximal pair of `least` letters or more, but at most `limit` (0: all) for each of the maximal
/// repeats that they are occurrences of; and then told(its pairs, all of them). Repeats come as from find_repeats. Time O(n a +
/// pairs) for a letters of the alphabet. (Gusfield 1997, section 7.12.3.) Memory: 16 bytes a row for the longest run of rows
/// with `least` common letters or more, and some 100 bytes for each of the repeats that contain one another.
void find_pairs(entries lcp, std::span<char const> bwt, letters_apart const& apart, std::uint64_t least, std::uint64_t limit,
                std::function<void(repeat_pair const&)> const& found, std::function<void(pairs_of_repeat const&)> const& told);

}  // namespace ordo::suffix
