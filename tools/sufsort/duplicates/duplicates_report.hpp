#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordo/suffix/duplicates.hpp"
#include "ordo/suffix/index.hpp"

namespace ordo::inline v0::sufsort {

/// Counts ranges of duplicates, by their lengths.
class duplicate_counts {
 public:
  void add(suffix::duplicate_range const& range);
  /// Adds ranges of other records.
  void add(duplicate_counts const& more);

  std::uint64_t ranges = 0, residues = 0, records = 0, longest = 0;
  struct bin {
    std::uint64_t ranges = 0, residues = 0;
  };
  std::array<bin, 64> bins{};  // bin k: lengths in [2^k, 2^(k + 1))

 private:
  std::size_t last_record_ = ~std::size_t{0};
};

/// Keeps the first `max_strings` of the most frequent strings that are no variants of earlier ones: those that share no
/// min_length residues with them, as a sentence does with itself and the letter before it.
void keep_different(std::vector<suffix::repeated_string>& strings, suffix::text const& input, std::uint64_t min_length,
                    std::size_t max_strings);

/// The duplicates of a file, or of all files of a source.
struct file_duplicates {
  std::string name;
  std::uint64_t files = 1, records = 0;
  std::uint64_t size = 0, ranges = 0, residues = 0;  // residues of the file, ranges, and residues in them
  suffix::duplicate_range example = {};              // the longest range, the first of several; empty: none
};

/// Returns the duplicates of each file of an index; empty for FASTA.
std::vector<file_duplicates> find_file_duplicates(suffix::stored_index const& index, suffix::copy_finder const& copies);

/// Returns the duplicates of each source, and of the files that have none, if there are any.
/// @param file_sources  the number of the source of each file
std::vector<file_duplicates> sum_by_source(std::vector<file_duplicates> const& files,
                                           std::vector<std::size_t> const& file_sources,
                                           std::vector<std::string> const& sources);

/// Returns a page of HTML that needs no other file: the counts, a histogram of lengths, the sources, the files with most
/// duplicates, and the repeated strings.
/// @param settings  names and values for its first table
std::string duplicates_page(suffix::stored_index const& index, duplicate_counts const& counts,
                            std::vector<file_duplicates> files, std::vector<file_duplicates> const& sources,
                            suffix::repeated_strings const& strings,
                            std::vector<std::pair<std::string_view, std::string>> const& settings);

}  // namespace ordo::inline v0::sufsort
