#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ordo/detail/config.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/search.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// Letters that no repeat may hold: each differs from all others, even from the same letter, as the ends of records do. So a
/// repeat ends before an N, whatever follows it. None by default.
struct excluded_letters {
  entries sa = {};                                 // suffix array of the text
  ambiguous_positions const* positions = nullptr;  // where these letters are
};

/// A maximal repeat: a string that occurs more than once, and that is neither always preceded nor always followed by the same
/// letter. So no longer string occurs at all of its positions. The start and end of a record differ from every letter and from
/// those of other records.
struct repeat {
  std::uint64_t length = 0;
  row_range rows;  // rows of the suffixes that begin with it
};

/// Calls on_repeat(repeat) for each maximal repeat of at least `min_length` letters, which must be above 0. A repeat follows
/// the longer repeats that begin with it; otherwise repeats come in suffix order. There are fewer repeats than rows. One pass,
/// O(n). Memory: 24 bytes for each of the nested repeats, at most `length` of the longest. (Abouelhoda, Kurtz and Ohlebusch, J.
/// Discrete Algorithms 2004, section 4.)
/// @param bwt  the rows of sa only: n bytes; '$' is the start of a record
void find_repeats(entries lcp, std::span<char const> bwt, excluded_letters const& excluded, std::uint64_t min_length,
                  std::function<void(repeat const&)> const& on_repeat);

/// Does the same for a text of any bytes, where '$' is a letter like all others. Reads the letters before suffixes from the
/// text, at random.
/// @param sa  all rows
/// @throws input_error  naming `name` and the row, if sa holds no position of the text
void find_repeats(text const& input, entries sa, entries lcp, std::uint64_t min_length,
                  std::function<void(repeat const&)> const& on_repeat, std::string const& name = "suffix array");

/// A maximal pair: two occurrences of a string that differ in the letter before and in the letter after.
struct repeat_pair {
  std::uint64_t length = 0;
  std::size_t row, other_row = 0;
};

/// The number of maximal pairs of a repeat, including those beyond a limit.
struct repeat_pair_count {
  repeat of;
  std::uint64_t pairs = 0;
};

/// Calls on_pair(pair) for each maximal pair of at least `min_length` letters, but at most `limit` times (0: without limit) for
/// each maximal repeat; then on_repeat(repeat and number of all its pairs). Repeats come as from find_repeats. Time O(n a +
/// pairs) for an alphabet of a letters. (Gusfield 1997, section 7.12.3.) Memory: 16 bytes a row for the longest sequence of
/// rows that share `min_length` letters, and about 100 bytes for each of the nested repeats.
void find_pairs(entries lcp, std::span<char const> bwt, excluded_letters const& excluded, std::uint64_t min_length,
                std::uint64_t limit, std::function<void(repeat_pair const&)> const& on_pair,
                std::function<void(repeat_pair_count const&)> const& on_repeat);

/// Does the same for a text of any bytes: see find_repeats.
void find_pairs(text const& input, entries sa, entries lcp, std::uint64_t min_length, std::uint64_t limit,
                std::function<void(repeat_pair const&)> const& on_pair,
                std::function<void(repeat_pair_count const&)> const& on_repeat, std::string const& name = "suffix array");

/// Sets at[p] to the number of occurrences in the text, within records, of the `length` letters from position p on; to 0 if p's
/// record has fewer letters left, or if one of them is not of `letters`. Count is std::uint32_t or std::uint64_t and must hold
/// n. Two passes over sa and lcp, on `threads` threads (0: all). Temporary memory: for `nucleotides` a bit for each letter of
/// the text.
/// @returns the number of positions that have `length` letters in their record, but not all of `letters`
/// @throws input_error  naming `name` and the row, if sa holds no position of the text
/// @throws usage_error  `at` is not as long as the text, or lcp not as long as sa, or length is 0
template <class Count>
ORDO_API std::uint64_t count_occurrences(text const& input, entries sa, entries lcp, std::uint64_t length,
                                         letter_choice letters, std::span<Count> at, std::string const& name = "suffix array",
                                         unsigned threads = 0);

/// Adds the strings of `length` letters across the ends of circular records, which go around once at most, to the counts of
/// count_occurrences: sets the counts of their positions, and adds 1 to those of each other occurrence for each of them.
/// @param rows  the rows of the same text @param circular  for each record of the text
/// @returns the number of such positions whose letters are not all of `letters`
/// @throws as count_occurrences
template <class Count>
ORDO_API std::uint64_t add_circular_occurrences(text const& input, searcher const& rows, std::vector<bool> const& circular,
                                                std::uint64_t length, letter_choice letters, std::span<Count> at);

/// Sets at[p] to the number of positions whose `length` letters differ from those at p in at most `mismatches` letters (Hamming
/// distance), p itself among them; 0 as by count_occurrences. The answer is exact. Different k-mers are sorted by some of their
/// parts, for each choice of parts that mismatches leave alone, and compared where these are equal; large groups are sorted
/// without one or two of their letters instead, so that repeats take no quadratic time. Memory: besides that of
/// count_occurrences, two Counts and 16 bytes for each different k-mer; the latter less often if `memory` is less.
/// @param mismatches  1 or 2 @param memory  bytes that may be used, besides `at`
/// @returns as count_occurrences
/// @throws usage_error  for other mismatches, and as count_occurrences
/// @throws out_of_memory  before the comparisons, if there are too many k-mers for `memory`
template <class Count>
ORDO_API std::uint64_t count_similar(text const& input, entries sa, entries lcp, std::uint64_t length, unsigned mismatches,
                                     letter_choice letters, std::span<Count> at, std::string const& name = "suffix array",
                                     unsigned threads = 0, std::size_t memory = std::numeric_limits<std::size_t>::max());

/// The same for a text with circular records, whose strings go around once at most. Sorts the text again, with the first
/// letters of circular records after their last ones; memory: three Counts for each letter more, and what a build with LCP
/// takes.
/// @param circular  for each record of the text @param options  its memory is that of the comparisons, too
/// @throws as build, and count_similar
template <class Count>
ORDO_API std::uint64_t count_similar(text const& input, std::vector<bool> const& circular, std::uint64_t length,
                                     unsigned mismatches, letter_choice letters, std::span<Count> at,
                                     build_options const& options = {});

/// Sets lengths[p] to the length of the shortest string that begins at position p and occurs once in the text, within records;
/// to 0 if there is none. Such a string is a minimal unique substring if the one that begins at p + 1 ends after it. Length is
/// std::uint32_t or std::uint64_t and must hold n. One pass over sa and lcp, on `threads` threads (0: all).
/// @param sa  the suffix array of all suffixes
/// @throws input_error  naming `name` and the row, if sa holds no position of the text
/// @throws usage_error  for arrays that are not as long as the text
template <class Length>
ORDO_API void find_shortest_unique(text const& input, entries sa, entries lcp, std::span<Length> lengths,
                                   std::string const& name = "suffix array", unsigned threads = 0);

/// The same for a text with circular records, whose strings go around once at most; so p + lengths[p] may be after the end of
/// a record. Sorts the text again, with circular records twice; memory: two Lengths for each letter more, and what a build with
/// LCP takes.
/// @param circular  for each record of the text @throws as build
template <class Length>
ORDO_API void find_shortest_unique(text const& input, std::vector<bool> const& circular, std::span<Length> lengths,
                                   build_options const& options = {});

/// The number of different k-mers that occur the same number of times.
struct spectrum_entry {
  std::uint64_t occurrences = 0, kmers = 0;
  friend bool operator==(spectrum_entry const&, spectrum_entry const&) = default;
};

/// Returns the k-mer spectrum of a text, by ascending number of occurrences: only k-mers within records and, for `nucleotides`,
/// of these letters. One pass over sa and lcp, on `threads` threads (0: all). Memory: a bit for each letter of the text for
/// `nucleotides`, and little for each different number of occurrences.
/// @param sa  the suffix array of all suffixes that may begin a k-mer @param length  letters of a k-mer, above 0
/// @throws as count_occurrences
std::vector<spectrum_entry> find_spectrum(text const& input, entries sa, entries lcp, std::uint64_t length,
                                          letter_choice letters, std::string const& name = "suffix array",
                                          unsigned threads = 0);

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
