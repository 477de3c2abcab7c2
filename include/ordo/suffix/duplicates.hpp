#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The copies of a duplicate that are kept: `none`, the `first`, which has the smallest position, the one in the `longest`
/// record, or in the `best` one, which has the greatest score; of several such records or copies, the first. Copies may
/// overlap.
enum class kept_copies { none, first, longest, best };

inline constexpr std::array<std::string_view, 4> kept_copies_words{"none", "first", "longest", "best"};

/// What is compared: strings of at least min_length residues; whole lines, paragraphs or records; or n-grams of min_length
/// words, with another text. Lines end with LF, lines of blanks stand between paragraphs, and blanks at the begin and end of
/// either do not count. Blanks, which are space, tab, LF, VT, FF and CR, stand between words; how many does not count.
enum class copied_unit { strings, lines, paragraphs, records, words };

inline constexpr std::array<std::string_view, 5> copied_unit_words{"strings", "lines", "paragraphs", "records", "words"};

/// The occurrences of a string that make it a duplicate: all of them (`anywhere`), those in the same record (`within`), or
/// those in other records (`across`). With `across`, all occurrences in the first record that has one are kept, or in the
/// longest one.
enum class copy_scope { anywhere, within, across };

inline constexpr std::array<std::string_view, 3> copy_scope_words{"anywhere", "within", "across"};

/// Positions of a text, [begin, end), in one record.
struct duplicate_range {
  std::size_t record = 0;
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(duplicate_range const&, duplicate_range const&) = default;
};

struct duplicate_options {
  std::uint64_t min_length = 0;  // residues, above 0
  kept_copies keep = kept_copies::first;
  /// Shortens ranges to whole characters of UTF-8: neither begins nor ends before a continuation byte. For bytes only.
  bool whole_characters = false;
  unsigned threads = 0;  // 0: all
  copy_scope scope = copy_scope::anywhere;
  copied_unit unit = copied_unit::strings;  // others: copy_finder alone finds them
  /// Words: records of the other text that have fewer than min_length words count as an n-gram if they have this many or more;
  /// 0: they do not count.
  std::uint64_t min_words = 0;
  /// kept_copies::best: the score of each record; it must outlive what uses it. NaN is the lowest one.
  std::span<double const> scores = {};
};

/// Calls on_range(range) for all maximal ranges of residues that are copies, in order of position. A residue is in one if it
/// lies in some string of min_length residues of its record that occurs more than once in the text, for `first` at a smaller
/// position, for `longest` at a smaller one of a record as long, or in a longer record. Between two ranges is a residue in none
/// of them, or the end of a record.
///
/// Let D(p) be the length of the longest string at p that is a copy. D(p + 1) is at least D(p) - 1. So the last of adjacent
/// positions p with D(p) >= min_length has D(p) = min_length, and one bit a position marks all ranges. Time O(n). Temporary
/// memory: a bit a position; with a scope other than anywhere, or `longest`, also 16 bytes a record, and with `within` 8 bytes
/// for each occurrence of the strings that the threads look at.
/// @param sa, lcp  hold all rows
/// @returns the number of residues in all ranges
/// @throws input_error  naming `name` and the row, if sa holds no position of the text
/// @throws usage_error  arrays of the wrong size, a min_length of 0, whole characters of tokens
std::uint64_t find_duplicates(text const& input, entries sa, entries lcp, duplicate_options const& options,
                              std::function<void(duplicate_range const&)> const& on_range,
                              std::string const& name = "suffix array");

/// Calls on_range(range) for all maximal ranges of residues of `input` that occur in another text, in order of position: those
/// that lie in some string of min_length residues of a record that a record of `other` has, too. Options keep and scope have no
/// effect. Time O(n), and O(log m) for each different string; temporary memory: a bit for each position of `input`.
/// @param sa, lcp  the arrays of all rows of `input` @param other_sa  the other suffix array of all rows of `other`
/// @param name, other_name  name the suffix arrays in messages
/// @returns the number of residues in all ranges
/// @throws as find_duplicates; usage_error  for residues of different sizes
std::uint64_t find_shared(text const& input, entries sa, entries lcp, text const& other, entries other_sa,
                          duplicate_options const& options, std::function<void(duplicate_range const&)> const& on_range,
                          std::string const& name = "suffix array", std::string const& other_name = "other suffix array");

/// A string that a text has more than once: its first position, its length, and the number of its occurrences.
struct repeated_string {
  std::uint64_t position = 0, length = 0, count = 0;
  friend bool operator==(repeated_string const&, repeated_string const&) = default;
};
struct repeated_strings {
  repeated_string longest;                // count 0 if no string of min_length residues repeats
  std::vector<repeated_string> frequent;  // ordered by count, the most frequent first, then by length and position
};

/// Finds the same ranges as find_duplicates or find_shared without a suffix array, in parts that take little memory.
///
/// Of the strings of k residues in a string of min_length, the leftmost one with the smallest hash is its minimizer, k being
/// about half of min_length. Equal strings have equal minimizers at equal offsets, so only strings whose minimizers agree are
/// compared, residue by residue. A text has about 4 n / min_length minimizers. They are sorted by hash, and worked on in ranges
/// of hashes. (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003; Roberts et al., Bioinformatics 20, 2004.)
///
/// The text is read once from begin to end if three eighths of `memory` hold all minimizers; and parts of it again. Else
/// minimizers are distributed to buckets in a temporary file, 12 bytes each, and ranges are read from there; or, without a
/// folder for it, the text is read once more for each range. Time O(n), if a string is compared with few others. Memory: 16
/// bytes for each minimizer of a range, 24 if they are on disk, the same again for all of them if there is room, tables of
/// strings that many positions share, which take at most a fourth of `memory`, and a bit a position. Bits that take more than a
/// fourth of `memory` are in a temporary file, too. The text is not held: it may be mapped, and larger than memory.
///
/// Disk: at most 1.5 times the bytes of the texts. More minimizers than fit are found in another pass over the text.
///
/// Lines, paragraphs and records are sorted by a hash and compared byte by byte if it is the same. A range ends with a pass
/// over the text, and takes 16 bytes for each unit of it. Their ranges cover the line end, and the blank lines after a
/// paragraph. n-grams take 48 bytes for each word of the other text, which must fit; they are one range.
class copy_finder {
 public:
  /// The number of equal buckets that the hashes are divided into. A range consists of adjacent ones.
  static constexpr std::size_t num_buckets = 4096;

  /// @param input, other  must outlive this
  /// @param memory  bytes that may be used, besides about 4 MB a thread; without a folder also besides the bit a position. Less
  /// than 64 KiB counts as that with a folder
  /// @param other  the text of find_shared; null: find_duplicates
  /// @param folder  the folder of temporary files; empty: there are none
  /// @throws usage_error  as they do; units of tokens that are no records; words without another text; another number of scores
  /// than records; texts of 2^40 residues or more; output_error  if the folder has no room for the bits
  copy_finder(text const& input, duplicate_options const& options, std::size_t memory, text const* other = nullptr,
              std::string const& folder = {});
  ~copy_finder();
  copy_finder(copy_finder const&) = delete;
  copy_finder& operator=(copy_finder const&) = delete;

  /// The work of a finder with a folder, estimated from the size of the texts.
  struct plan {
    std::uint64_t minimizers = 0;
    std::size_t passes = 1;        // readings of the texts from begin to end
    std::uint64_t disk_bytes = 0;  // bytes of temporary files, about; 0: there are none
    std::uint64_t max_disk_bytes = 0;
  };
  /// Returns the plan of a finder with these arguments. Reads no text.
  static plan make_plan(text const& input, std::uint64_t min_length, std::size_t memory, text const* other = nullptr);

  /// Returns the number of buckets that have been worked on. num_buckets: all copies are marked.
  [[nodiscard]] std::size_t finished() const noexcept;
  /// Called by any thread with the number of residues that it has just read of one of the texts.
  using progress = std::function<void(std::uint64_t)>;
  /// Returns the number of ranges that are left. The first call reads the texts, to count minimizers.
  /// @param max_buckets  the largest number of buckets in a range: more ranges than memory needs lose less if they are
  /// interrupted
  /// @throws out_of_memory  if `memory` is too small for one bucket @throws output_error  if a temporary file cannot be written
  std::size_t count_ranges(std::size_t max_buckets = num_buckets, progress const& on_progress = {});
  /// Works on the next range, as count_ranges divides them.
  /// @param name  the name of the text, for messages
  /// @throws out_of_memory, output_error  as count_ranges @throws input_error  if the text changes meanwhile
  void next_range(std::size_t max_buckets = num_buckets, progress const& on_progress = {}, std::string const& name = "text");
  /// Returns a bit for each position of the input; it is set if a copy begins there that a finished range found. Bits on disk
  /// are brought up to date, and mapped. @throws output_error, input_error
  [[nodiscard]] std::span<std::uint64_t const> marks();
  /// Continues where another finder of the same texts and options was: by its numbers finished() and marks().
  /// @throws usage_error  for other sizes
  void resume(std::size_t finished, std::span<std::uint64_t const> marks);
  /// Calls on_range(range) for all ranges, in order of position, once all buckets are finished.
  /// @returns the number of residues in all of them
  std::uint64_t report(std::function<void(duplicate_range const&)> const& on_range) const;
  /// Calls on_range(range) for the ranges of records [first_record, last_record), in order. Several threads may call it.
  std::uint64_t report(std::size_t first_record, std::size_t last_record,
                       std::function<void(duplicate_range const&)> const& on_range) const;
  /// Returns the longest line, paragraph or record that repeats, and the 20 most frequent ones; nothing for other units, and
  /// with another text.
  [[nodiscard]] repeated_strings repeated_units() const;
  /// Returns the number of records of the other text that have words, but too few to count.
  [[nodiscard]] std::uint64_t short_records() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Finds the longest string that a text has more than once, and the most frequent ones, of at least min_length residues. A
/// frequent string is as long as all its occurrences agree, to the right and to the left. Of strings that begin with the same
/// min_length residues only the most frequent one is listed. Time O(n), one thread.
/// @param sa, lcp  hold all rows @throws as find_duplicates
repeated_strings find_repeated_strings(text const& input, entries sa, entries lcp, std::uint64_t min_length,
                                       std::size_t max_strings, std::string const& name = "suffix array");

/// Finds the same strings without arrays of the text. All occurrences of strings that repeat lie in copies, so the arrays of
/// these, each a record of another text, suffice. Memory: the copies, 32 bytes for each range of them, and their arrays with
/// what build needs.
/// @param copies  those of kept_copies::none and copy_scope::anywhere, of whole_characters false; all ranges are finished
/// @param options  the options of the build; `memory` is the limit for everything
/// @throws out_of_memory  what may suffice for the build, and as build
repeated_strings find_repeated_strings(text const& input, copy_finder const& copies, std::uint64_t min_length,
                                       std::size_t max_strings, build_options options = {});

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
