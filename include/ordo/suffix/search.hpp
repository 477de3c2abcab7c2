#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/fm_index.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/policy.hpp"
#include "ordo/suffix/records.hpp"
#include "ordo/suffix/text_letters.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// Finds patterns in a text by its suffix array or by its FM index. Patterns of a text of tokens are the bytes of whole tokens.
/// Entries are checked before use: nothing outside the text is read, whatever the array holds. An array of another text may
/// give wrong rows; suffix::check detects it. Any number of threads may use one searcher.
class searcher {
 public:
  /// @param input, sa, kmers  must outlive this
  /// @param name  the name of the array, for messages
  searcher(text const& input, entries sa, std::string name = "suffix array", kmer_table kmers = {});
  /// Searches by an FM index, and reads no residues. letters() reads those of the text if the index has none.
  /// @param fm, input  must outlive this
  searcher(fm_index const& fm, text const& input);

  /// Sets rows[i] to the rows of the suffixes that begin with patterns[i]; to all rows for an empty pattern. Runs binary
  /// searches of O(log n) steps that skip the letters which both ends of a range share with the pattern (Manber and Myers,
  /// SICOMP'93). A few dozen searches are interleaved to hide the latency of memory.
  /// @throws input_error  naming array and row, if a row that is read holds no position of the text
  /// @throws usage_error  rows and patterns differ in number
  void find(std::span<std::string_view const> patterns, std::span<row_range> rows) const;
  [[nodiscard]] row_range find(std::string_view pattern) const;
  /// Sets lengths[i] to the length of the longest prefix of patterns[i] that begins a suffix with a row. One binary search
  /// each; with an FM index, O(log n) searches.
  /// @throws as find
  void find_longest(std::span<std::string_view const> patterns, std::span<std::uint64_t> lengths) const;

  /// Returns the position that a row holds.
  /// @throws input_error  naming array and row, if it is no position of the text
  [[nodiscard]] std::uint64_t position(std::size_t row) const {
    if (fm_) return fm_->position(row);
    std::uint64_t const p = sa_[row];
    if (p >= input_.size()) refuse(row, p);
    return p;
  }
  /// Replaces rows by the positions that they hold. @throws as position
  void positions(std::span<std::uint64_t> rows) const;
  [[nodiscard]] text const& input() const noexcept { return input_; }
  /// Returns the letters of the text, of bytes, as they take least memory.
  [[nodiscard]] text_letters const& letters() const noexcept { return letters_; }
  /// Returns the FM index that is searched; null if it is a suffix array.
  [[nodiscard]] fm_index const* fm() const noexcept { return fm_; }
  /// Prefetches the position of a row, if the row exists.
  void prefetch(std::size_t row) const noexcept {
    if (row < sa_.size()) sa_.prefetch(row);
  }
  /// Returns the record of a position.
  [[nodiscard]] std::size_t record_at(std::uint64_t p) const noexcept { return record_at_(p); }
  /// Returns the positions at which the pattern occurs, in ascending order.
  [[nodiscard]] std::vector<std::uint64_t> locate(std::string_view pattern) const;

 private:
  class lane;
  template <class Result>
  void run(std::span<std::string_view const> patterns, std::span<Result> results) const;
  [[noreturn]] void refuse(std::size_t row, std::uint64_t p) const;

  text input_;
  entries sa_;
  std::string name_;
  kmer_table kmers_;
  record_finder record_at_;
  fm_index const* fm_ = nullptr;
  text_letters letters_;
};

/// Finds patterns in a text whose array lacks rows. An occurrence whose own row is missing is found through a row some letters
/// later: a sample of every D-th position has one among any D, and the letters before it are compared. A search runs D searches
/// for suffixes of the pattern and checks each row that they find; if the shortest of these suffixes are short, there are many
/// such rows.
class sampled_searcher {
 public:
  /// @param input, rows  must outlive this
  /// @param which  the rows that the array has
  sampled_searcher(text const& input, searcher const& rows, row_selection selection)
      : input_(input), rows_(rows), selection_(selection) {}

  /// Returns true if each occurrence of a pattern is certain to be found. It is not if the pattern has fewer than `sample`
  /// letters; or, if suffixes that begin with ambiguous letters have no rows, if all letters that would be searched for are
  /// ambiguous.
  [[nodiscard]] bool can_find(std::string_view pattern) const { return choose_shifts(pattern).size() == selection_.sample; }
  /// Returns the positions at which the pattern occurs, in ascending order.
  /// @throws input_error  for a pattern without can_find; and as searcher::find
  [[nodiscard]] std::vector<std::uint64_t> locate(std::string_view pattern) const;

 private:
  [[nodiscard]] std::vector<std::size_t> choose_shifts(std::string_view pattern) const;

  text input_;
  searcher const& rows_;
  row_selection selection_;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
