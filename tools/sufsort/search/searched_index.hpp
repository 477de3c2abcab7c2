#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/index.hpp"
#include "ordo/suffix/letters.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/search.hpp"
#include "tools/sufsort/symbols.hpp"

namespace ordo::inline v0::sufsort {

/// The structure that searches use; any: the suffix array if there is one, else the FM index.
enum class search_by { any, suffix_array, fm_index };

/// An index that is open for searches.
struct searched_index {
  suffix::stored_index stored;
  suffix::text input;
  suffix::pieces pieces;
  suffix::fm_index fm;  // if searches are by it
  suffix::searcher search;
  std::optional<suffix::sampled_searcher> sparse;  // if rows are left out
  bool both_strands;                               // the text has both
  bool thymine, uracil;                            // the text has T, U
  suffix::complement other_strand;

  /// @throws input_error  also if the index lacks the structure
  explicit searched_index(std::string const& prefix, search_by structure = search_by::suffix_array);
  searched_index(searched_index const&) = delete;  // sparse has a view of it
  searched_index& operator=(searched_index const&) = delete;

  /// Makes a table of k-mers in memory for as many searches in a suffix array of FASTA, if the index has none, the table takes
  /// less time than it saves, and there is memory for it. @throws as suffix::make_kmer_table
  void expect_searches(std::uint64_t searches, unsigned threads);

  /// Returns the map of the letters of patterns: to upper case, unless the text has lower case; and, if both strands are
  /// searched, T and U to the one of them that the text has. @throws input_error  if it has both
  [[nodiscard]] std::array<char, 256> read_as(bool strands) const;
  [[nodiscard]] bool is_reverse(std::uint64_t p) const { return pieces.is_reverse(search.record_at(p)); }
  [[nodiscard]] bool is_fasta() const { return stored.description().input == suffix::input_format::fasta; }
  /// Returns the form of patterns. @param given  by the user
  [[nodiscard]] pattern_format choose_format(std::optional<pattern_format> given) const {
    return given.value_or(input.residue_bytes == 1 ? pattern_format::text : pattern_format::tokens);
  }

 private:
  [[nodiscard]] bool occurs(char letter) const;

  std::vector<char> made_kmers_;
};

/// Throws input_error for an index without LCP.
void expect_lcp(suffix::stored_index const& index);
/// Throws input_error for an index of some positions only. @param why  all are needed
void expect_all_positions(suffix::stored_index const& index, std::string_view why);

/// Returns the letters that strings of a text may hold: those that the user wants, or else what suits the text.
/// @param fm  shows what suits the text; null or empty: the text itself does
/// @throws usage_error  if the text has no such letters
suffix::letter_choice choose_letters(suffix::stored_index const& index, std::optional<suffix::letter_choice> wanted,
                                     unsigned threads, suffix::fm_index const* fm = nullptr);
/// Does the same for strings that begin at rows, which letters that an index skips do not have.
suffix::letter_choice letters_with_rows(suffix::stored_index const& index, std::optional<suffix::letter_choice> wanted,
                                        unsigned threads, suffix::fm_index const* fm = nullptr);

}  // namespace ordo::inline v0::sufsort
