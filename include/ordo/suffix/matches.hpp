#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/machine.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/policy.hpp"
#include "ordo/suffix/search.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// A string that a query and a text share, where it occurs in both.
struct match {
  std::uint64_t query_begin = 0;  // offset in the query; for a reverse match, of the string's reverse complement
  std::uint64_t position = 0;     // in the text
  std::uint64_t length = 0;
  bool reverse = false;  // the text has the reverse complement of this part of the query
  friend auto operator<=>(match const&, match const&) = default;
};

struct match_options {
  std::uint64_t min_length = 20;  // above 0, and at least the sample of the rows
  std::uint64_t max_occurrences =
      0;  // the string occurs at most so often in the text; 0: any number. Needs rows without a sample
  std::uint64_t rows_per_search = 64;  // how many rows are looked at in the time of a search; the result is the same
};

/// The offsets [begin, end) of a query.
struct query_part {
  std::string_view query;
  std::uint64_t begin = 0, end = 0;
};

/// Finds the maximal exact matches of queries in a text: pairs of equal strings that neither the letters before them nor those
/// after them extend, within records. Looks up strings of k letters at every s-th position of a query, and extends what it
/// finds to both sides; k + s - 1 letters are the minimum length, so that no match is missed, and each is reported at the first
/// looked-up position inside it (Khiste and Ilie, Bioinformatics 2015). If only every D-th position of the text has a row, s is
/// coprime to D, and k + s D - 1 letters are the minimum length (Grabowski and Bieniecki, Bioinformatics 2019). Needs the
/// suffix array or the FM index only, and the text. Time: a search for each s-th letter, and a comparison of up to s D letters
/// for each occurrence of its k letters. If k letters have thousands of occurrences, as in tandem repeats, and all positions
/// have rows, it searches for each string of the minimum length after each other letter instead, so that only occurrences that
/// begin a match are visited. Any number of threads may use one finder.
class match_finder {
 public:
  /// @param input, rows  must outlive this
  /// @param selection  the rows that the array has. If suffixes that begin with ambiguous letters have none, queries must not
  ///     hold such letters: matches that begin with one may be missed
  /// @throws usage_error  for a minimum length of 0 or below the sample, or a limit of occurrences with a sample
  match_finder(text const& input, searcher const& rows, row_selection selection, match_options options);

  /// Appends the matches that begin at the offsets [begin, end) of the query, in order of offset and position. Bytes that the
  /// text does not have match nothing. Memory: little besides the matches.
  /// @throws input_error  naming array and row, if a row that is read holds no position of the text
  void find(std::string_view query, std::uint64_t begin, std::uint64_t end, std::vector<match>& matches) const;
  /// Does so for parts of queries. With an index of runs, many are worked on at the same time to hide the latency of memory.
  /// Sets ends[i] to the number of matches after those of part i. @throws usage_error  if ends and parts differ in number; and
  /// as for one part
  void find(std::span<query_part const> parts, std::vector<match>& matches, std::span<std::size_t> ends) const;
  /// Appends the matches that begin at the offsets [begin, end) and lie within no longer match of the query, in the same order:
  /// the super-maximal ones of this strand. Takes time for the matching statistics and the matches only.
  /// @throws usage_error  if rows are left out or occurrences are limited
  void find_super_maximal(std::string_view query, std::uint64_t begin, std::uint64_t end, std::vector<match>& matches) const;
  /// Does so for parts of queries, of which many are worked on at the same time to hide the latency of memory. Sets ends[i] to
  /// the number of matches after those of part i. @throws usage_error  as for one part, or ends and parts differ in number
  void find_super_maximal(std::span<query_part const> parts, std::vector<match>& matches, std::span<std::size_t> ends) const;
  /// Returns all matches of a query.
  [[nodiscard]] std::vector<match> find(std::string_view query) const {
    std::vector<match> matches;
    find(query, 0, query.size(), matches);
    return matches;
  }

  /// Returns true if a string occurs at most `limit` times within records. @throws as find
  [[nodiscard]] bool occurs_at_most(std::string_view string, std::uint64_t limit) const;

  /// Returns the number of letters that are looked up, and the distance of the positions at which they are.
  [[nodiscard]] std::uint64_t kmer_length() const noexcept { return kmer_length_; }
  [[nodiscard]] std::uint64_t step() const noexcept { return step_; }

 private:
  class extension;

  [[nodiscard]] bool has_all_rows() const noexcept { return selection_.all(); }

  text input_;
  searcher const& rows_;
  row_selection selection_;
  match_options options_;
  std::string letters_;  // letters of the text, if all rows are there
  std::uint64_t kmer_length_ = 0, step_ = 0;
  std::uint64_t period_ = 0;  // step times sample: a match holds a row's position within this number of letters from its begin
};

/// The matches of parts of queries that a GPU has found. Any number of threads may use one object, and it may
/// outlive the queries.
class found_matches {
 public:
  /// Appends the matches of ends.size() parts from part `first` on, in the order of match_finder. Sets ends[i] to the number of
  /// matches after those of part first + i. @throws usage_error  if there are fewer parts
  void append(std::size_t first, std::vector<match>& matches, std::span<std::size_t> ends) const;

 private:
  friend class gpu_match_finder;
  struct state;
  explicit found_matches(std::shared_ptr<state const> all) : state_(std::move(all)) {}

  std::shared_ptr<state const> state_;
};

/// Finds maximal matches and matching statistics of many queries at a time on a GPU, by an FM index, which it keeps in
/// the GPU's memory. Results are those of match_finder and matching_statistics. Takes some hundred thousand offsets to be as
/// fast as many threads. Threads may use one finder: the GPU serves one call after the other, and the threads of each call's
/// arena of oneTBB copy its queries before.
class gpu_match_finder {
 public:
  /// Chooses a machine for queries with this number of letters. If it is the CPU, use match_finder. @throws as choose_machine
  static machine_choice choose(fm_index const& fm, text const& input, machine_options const& machine, std::uint64_t letters);

  /// @param fm, input  must outlive this @param choice  a GPU @throws out_of_memory
  gpu_match_finder(fm_index const& fm, text const& input, machine_options const& machine, machine_choice const& choice);
  gpu_match_finder(gpu_match_finder&&) noexcept;
  gpu_match_finder& operator=(gpu_match_finder&&) noexcept;
  ~gpu_match_finder();

  /// Finds what match_finder::find finds without a limit of occurrences. Time: a search for each offset, whatever its string,
  /// and a row for each match. Memory on the GPU: 30 bytes a letter of the parts, 32 for each offset at which matches begin,
  /// and up to 256 MiB for matches; on the host 24 for each of these offsets, and 16 for each match.
  /// @throws input_error  if the index holds numbers that no index has; out_of_memory, also for more than 2^28 matches;
  /// usage_error  for an index of runs, which has no text to compare with
  found_matches find(std::span<query_part const> parts, std::uint64_t min_length);
  /// Finds what match_finder::find_super_maximal finds. Memory on the GPU: about 40 bytes a letter of the parts; on the host 24
  /// for each string that is found, and 8 for each match.
  /// @throws input_error  if the index holds numbers that no index has; out_of_memory
  found_matches find_super_maximal(std::span<query_part const> parts, std::uint64_t min_length);
  /// Sets `lengths` to the matching statistics of parts, one after the other. @throws usage_error  for offsets beyond a query;
  /// and as above
  void statistics(std::span<query_part const> parts, std::span<std::uint64_t> lengths);
  /// Returns the seconds that calls have kept the GPU for.
  [[nodiscard]] double seconds() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Finds the maximal exact matches that reach over the ends of circular records, such as plasmids: the letters after the last
/// one are those from the first one on, as often as the query goes around. Strings of the minimum length over an end are looked
/// up by hash in every query, and compared. Needs the text only. Memory: 24 bytes for each of them, as many as letters of the
/// minimum length for each circular record. Any number of threads may use one finder.
class ring_match_finder {
 public:
  /// @param input  must outlive this @param circular  for each record of the text
  /// @throws usage_error  for a minimum length of 0, another number of records, and tokens
  ring_match_finder(text const& input, std::vector<bool> circular, std::uint64_t min_length);

  /// Appends the matches over an end whose first string over an end begins at the offsets [begin, end) of the query. A match's
  /// position is in its record, and its length may reach beyond the record's end, by any number of turns. Takes time for the
  /// letters of the query and the matches, if records and query are random or tandem repeats. Memory: 32 bytes for each match
  /// and each turn of one.
  void find(std::string_view query, std::uint64_t begin, std::uint64_t end, std::vector<match>& matches) const;
  /// Returns true if a maximal match within a record goes on over one of its ends, and so is a part of one that find() finds.
  [[nodiscard]] bool goes_on(std::string_view query, match const& match) const;
  /// Returns at how many positions of circular records a string begins and goes on over the end; 0 if it has fewer letters than
  /// the minimum length. Takes time for the letters of the string.
  [[nodiscard]] std::uint64_t count(std::string_view string) const;

 private:
  friend class ring_statistics;
  struct ring;
  struct hit;
  struct window {
    std::uint64_t hash;
    std::size_t record;
    std::uint64_t offset;
  };
  static constexpr int first_window = -1;
  [[nodiscard]] ring ring_at(std::size_t record) const;
  [[nodiscard]] int letter_before(window const& window) const;
  void find_of_record(std::string_view query, std::span<hit> hits, std::vector<match>& matches) const;
  template <class F>
  void each_window(std::string_view query, std::uint64_t begin, std::uint64_t end, F take) const;

  text input_;
  std::vector<bool> circular_;
  std::uint64_t length_, leading_ = 1;
  std::vector<window> windows_;  // ordered by hash and the letter before
  std::vector<bool> filter_;     // true for hashes that occur; indexed by some of their bits
};

/// Completes matching statistics by the strings that reach over the ends of circular records, as often as a query goes around.
/// Any number of threads may use one object.
class ring_statistics {
 public:
  /// @param input  must outlive this @param circular  for each record of the text @throws usage_error  as ring_match_finder
  ring_statistics(text const& input, std::vector<bool> circular);

  /// Raises the statistics of the offsets [begin, begin + lengths.size()) of a query. Takes time for these offsets and the
  /// longest of their matches. @param lengths  results of matching_statistics
  void lengthen(std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths) const;

 private:
  void lengthen_short(std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths) const;

  ring_match_finder rings_;
  std::vector<ring_match_finder::window> sorted_;  // its windows, by their letters
};

/// Removes the matches of strings that occur more than once in the query. `matches` must be all matches of one query whose
/// strings occur once in the text; then those that are left are the maximal unique matches (MUMs). Each strand of the query is
/// a text of its own. Keeps the order. O(n log n). (Delcher et al., Nucleic Acids Res. 1999.)
/// @param circular  for each record of the text whether matches may go around it; may be empty
void keep_unique_in_query(std::vector<match>& matches, text const& input = {}, std::vector<bool> const& circular = {});

/// Removes the matches whose part of the query lies within the part of a longer match, on any strand: super-maximal matches
/// (SMEMs) are left. `matches` must be all matches of one query. Keeps the order. O(n log n). (Li, Bioinformatics 2012.)
void keep_super_maximal(std::vector<match>& matches);

/// Sets lengths[i - begin] to the length of the longest string that begins at offset i of the query and occurs in the text, for
/// all i in [begin, begin + lengths.size()): the matching statistics (Chang and Lawler, Algorithmica 1994). The end of the
/// longest match never moves back from one offset to the next, so that one search often settles many offsets. A few dozen parts
/// are worked on in turn to hide the latency of memory. O(n log n) searches at most. With an FM index, goes from the last
/// offset to the first: a letter that continues the match costs one step of backward search, and any other one a few searches.
/// @param rows  the rows of all suffixes of the text
/// @throws usage_error  offsets beyond the query
/// @throws input_error  naming array and row, if a row that is read holds no position of the text
void matching_statistics(searcher const& rows, std::string_view query, std::uint64_t begin, std::span<std::uint64_t> lengths);

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
