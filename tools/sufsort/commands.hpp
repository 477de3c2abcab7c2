#pragma once
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/communicator.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/duplicates.hpp"
#include "ordo/suffix/input_format.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/matches.hpp"
#include "ordo/suffix/policy.hpp"
#include "tools/cli/files/output.hpp"
#include "tools/cli/options/options.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/stats.hpp"

/// The commands of sufsort and their options.
namespace ordo::inline v0::sufsort {

/// Reports phases to --stats and to the progress line.
struct reporter {
  cli::stats stats;
  cli::progress progress;

  /// @param inputs, output  as for cli::progress
  reporter(cli::common_options const& options, std::span<std::string const> inputs, std::string const& output, int argc,
           char const* const* argv)
      : stats("sufsort", argc, argv, options), progress("sufsort", options, inputs, output) {}
  void phase(std::string_view name, std::uint64_t bytes = 0) {
    stats.phase(name);
    stats.bytes(bytes);
    progress.phase(name, bytes);
  }
};

/// The memory that a command may use, as 8G; empty: the free memory.
struct memory_limits {
  std::string host, gpu;

  /// Returns the bytes of host memory that a command may still allocate. @param held  bytes that it has allocated
  [[nodiscard]] std::size_t host_bytes(std::size_t held = 0) const;
  /// Returns the advice of an error: the value of --memory that gives a command `bytes` bytes of host memory, or, if --memory
  /// was not given or less is free, that so much memory must be free. @param predicate  a statement about the value
  [[nodiscard]] std::string advice(std::size_t bytes, std::string_view predicate = "suffices") const;
  /// Returns the advice if `min_bytes` suffice for most texts and `max_bytes` for all.
  [[nodiscard]] std::string advice_for_text(std::size_t min_bytes, std::size_t max_bytes) const;
  /// Passes the GPU's limit to machines, and makes the C library return freed memory to the system. To be called before all
  /// work. @throws usage_error  for an invalid size
  void apply() const;
};

/// Returns the smallest size of at least `bytes` bytes that --memory accepts.
std::string size_for_option(std::size_t bytes);

/// The table of k-mers that an index gets.
struct kmer_options {
  std::string option, force_option;  // their names, for messages
  bool wanted = false;
  unsigned length = 0;  // letters of a k-mer; 0: chosen by the size of the suffix array
  bool force = false;   // allow a table larger than the suffix array
};

/// Returns the k-mers of a table for a text. @param rows  the rows of the suffix array @param width  bits of an entry of both
/// @throws usage_error  if there would be too many k-mers, or more than rows unless forced
suffix::kmer_set words_for(std::string_view residues, kmer_options const& options, std::size_t rows, unsigned width);

/// @throws usage_error  as words_for
void check_size(suffix::kmer_set const& words, kmer_options const& options, std::size_t rows, unsigned width);

/// Returns the bytes of a table.
std::size_t table_bytes(suffix::kmer_set const& words, unsigned width);

/// @param memory  bytes that the table may use @param advice  the end of the message @throws out_of_memory
void check_memory(suffix::kmer_set const& words, unsigned width, std::size_t memory, std::string const& advice);

/// Adds a table of k-mers to an index, or replaces its table. If that fails the index is unchanged.
/// @throws as words_for, check_memory
void add_kmers(std::string const& prefix, kmer_options const& options, cli::common_options const& common, reporter& report);

struct build_options {
  std::string prefix;
  std::vector<std::string> files;
  suffix::extra_arrays what;
  std::string width = "auto";
  suffix::input_format format = suffix::input_format::fasta;
  bool has_format = false;  // --format; without it, files say what they are
  std::string separator;    // separator of records, as it was given: with escapes, or as tokens
  std::string field;        // field of JSON; empty: text
  std::string lengths;      // a file of the lengths of records; empty: none
  bool big_endian = false;  // tokens of raw files
  suffix::policy policy;
  memory_limits memory;
  bool plan = false;
  bool has_mask = false, has_keep_case = false;  // --mask, --keep-case
  kmer_options kmers;
  bool fm = false;                       // add an FM index
  bool without_sa = false;               // leave out the suffix array
  bool text_only = false;                // and everything else but the text and its records
  std::uint64_t fm_sample = 32;          // every how many rows the FM index has a position
  std::optional<std::uint32_t> made_of;  // checksum of the description of the index that the new one replaces, if it must
};

/// Builds an index of files, or prints the plan.
/// @returns the exit status
/// @param members  the processes that build together, of which the first one writes the index; null: this process works alone
int build(build_options const& options, cli::common_options const& common, reporter& report, communicator* members = nullptr);

struct merge_options {
  std::string first, second;  // prefixes of indexes
  std::string output;         // the file of the result
  memory_limits memory;
};

/// Merges two indexes to one of the records of both.
/// @returns the exit status
int merge(merge_options const& options, cli::common_options const& common, reporter& report);

struct add_options {
  std::string prefix;
  std::vector<std::string> files;
  memory_limits memory;
};

/// Adds the records of files to an index.
/// @returns the exit status
int add(add_options const& options, cli::common_options const& common, reporter& report);

/// The form in which patterns are given: bytes as they are, bytes as pairs of hexadecimal digits, or decimal tokens.
enum class pattern_format { text, hex, tokens };
inline constexpr std::array<std::string_view, 3> pattern_words{"text", "hex", "tokens"};

struct search_options {
  std::string prefix;
  std::vector<std::string> patterns, files;
  std::string output = "-";
  std::size_t limit = 1000;  // maximum number of hits printed of a pattern; 0: all
  bool both_strands = false;
  bool bed = false;
  std::size_t context = 0;               // letters before and after a hit
  std::optional<pattern_format> format;  // nothing: tokens if the index is of tokens, else text
  bool fm = false;                       // search by the FM index
  bool by_record = false;                // count the hits of each record
  std::vector<std::string> circular;     // the names of circular records, or "all"
};

/// Returns the files that patterns come from. "-" is standard input, and so is a pattern "-".
std::vector<std::string> inputs_of(search_options const& options);

/// Prints the hits of patterns in the order of the patterns, and those of one pattern by record, position and strand.
int locate(search_options const& options, cli::common_options const& common, reporter& report);
/// Prints the number of hits of each pattern.
int count(search_options const& options, cli::common_options const& common, reporter& report);

enum class match_format { tsv, mummer, paf, bed };

struct matches_options {
  std::string prefix, output = "-";
  std::vector<std::string> files;
  suffix::match_options find;
  bool unique = false;         // unique of strings that occur once in the text, and once in the query
  bool super_maximal = false;  // within no other match of the query
  bool both_strands = false;
  bool fm = false;  // search by the FM index
  std::optional<suffix::letter_choice> letters;
  match_format format = match_format::tsv;
  std::vector<std::string> circular;  // as in search_options
};

/// Prints the maximal exact matches of queries, in the order of the queries.
int matches(matches_options const& options, cli::common_options const& common, reporter& report);

struct statistics_options {
  std::string prefix, output = "-";
  std::vector<std::string> files;
  std::optional<suffix::letter_choice> letters;
  bool tsv = false;
  bool fm = false;                    // search by the FM index
  std::vector<std::string> circular;  // as in search_options
};

/// Prints for each letter of queries the length of the longest match that begins there.
int matching_statistics(statistics_options const& options, cli::common_options const& common, reporter& report);

struct repeats_options {
  std::string prefix, output = "-";
  std::uint64_t min_length = 0;
  std::uint64_t limit = 10;  // maximum number of occurrences, or pairs, printed of a repeat; 0: all
  bool pairs = false;
  std::optional<suffix::letter_choice> letters;
};

/// Prints the maximal repeats, or the maximal pairs, of an index with LCP and BWT.
int repeats(repeats_options const& options, cli::common_options const& common, reporter& report);

struct unique_options {
  std::string prefix, output = "-";
  std::uint64_t length = 0;
  bool normalize = false;  // print 1 / count
  unsigned mismatches = 0;
  bool minimal = false;  // print minimal unique substrings instead
  std::optional<suffix::letter_choice> letters;
  std::vector<std::string> circular;  // as in search_options
};

/// Prints as bedGraph how often the k-mer at each position occurs, or as BED the minimal unique substrings.
int unique(unique_options const& options, cli::common_options const& common, reporter& report);

struct spectrum_options {
  std::string prefix, output = "-";
  std::uint64_t length = 0;
  bool plot = false;  // print bars
  std::optional<suffix::letter_choice> letters;
};

/// Prints how many k-mers occur once, twice, ... in an index with LCP.
int spectrum(spectrum_options const& options, cli::common_options const& common, reporter& report);

struct duplicates_options {
  std::string prefix, output = "-";
  std::string against;  // the prefix of another index; empty: none
  suffix::duplicate_options find;
  std::string format = "tsv";
  bool has_format = false;  // --format
  std::string column;       // the name of the list in annotated JSON; empty: duplicate_ranges
  std::string report;       // a page of HTML; empty: none
  std::string resume;       // the file of finished ranges; empty: none
  memory_limits memory;
};

/// Prints the ranges of an index that are copies, or the text without them, or with a list of them.
int duplicates(duplicates_options const& options, cli::common_options const& common, reporter& report);

struct export_options {
  std::string prefix, output, format;
  std::uint64_t shard_bytes = ~std::uint64_t{0};  // the maximum size of a shard of infini-gram
};

/// Writes the suffix array in the format of another program.
int export_array(export_options const& options, cli::common_options const& common, reporter& report);

struct aligner_index_options {
  std::vector<std::string> files;
  std::string aligner;
  std::string output;             // the prefix of the files, or the folder of STAR
  std::size_t index_letters = 0;  // index letters of STAR; 0: its default, as for the next one
  std::size_t bin_bits = 0;
  memory_limits memory;
};

/// Builds the index of an aligner of reads, of files of FASTA.
/// @returns the exit status
int aligner_index(aligner_index_options const& options, cli::common_options const& common, reporter& report);

/// Verifies an index and prints its first mismatch.
/// @returns the exit status
/// @param members  the processes that check together, of which the first one prints; null: this process works alone
int check(std::string const& prefix, memory_limits const& memory, cli::common_options const& common, reporter& report,
          communicator* members = nullptr);

/// Prints the description of an index.
/// @returns the exit status
int info(std::string const& prefix, reporter& report);

/// All that a command line sets.
struct settings {
  cli::common_options common;
  std::string prefix;  // prefix of the index that the command reads or builds
  memory_limits memory;
  build_options build;
  merge_options merge;
  add_options add;
  kmer_options kmers;
  search_options search;
  matches_options matches;
  statistics_options statistics;
  repeats_options repeats;
  unique_options unique;
  spectrum_options spectrum;
  duplicates_options duplicates;
  export_options export_to;
  aligner_index_options aligner_index;
};

/// Returns the table of sufsort with its commands. Actions refer to `to`.
cli::command_table make_table(settings& to);

inline void append(std::string& to, std::uint64_t number) {
  char digits[20];
  to.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

/// Writes the text and clears it once it has `min_bytes` bytes.
inline void write_some(cli::output& out, std::string& text, std::size_t min_bytes = std::size_t{1} << 20) {
  if (text.size() < min_bytes) return;
  out.write(std::string_view(text));
  text.clear();
}

/// Shortens a name for a message.
inline std::string shortened(std::string_view name) {
  return name.size() <= 40 ? std::string(name) : std::string(name.substr(0, 37)) + "...";
}

}  // namespace ordo::inline v0::sufsort
