#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/entries.hpp"
#include "ordo/suffix/kmer_table.hpp"
#include "ordo/suffix/records.hpp"

namespace ordo::suffix {

/// Finds patterns in a text by its suffix array. Nothing outside the text is read, whatever the array holds: its entries are
/// looked at before they are used. An array that is not the text's may give wrong rows; suffix::check finds that.
/// Any number of threads may use one.
class searcher {
 public:
  /// What it is given must outlive it. @param name  of the array, for messages
  searcher(text const& input, entries sa, std::string name = "suffix array", kmer_table words = {});

  /// rows[i] := the rows of the suffixes that begin with patterns[i]; all rows for an empty one. Binary searches, O(log n)
  /// steps each, that skip the letters which both ends of a range share with the pattern (Manber and Myers, SICOMP'93), a few
  /// dozen at a time: while the memory that one waits for comes, the others go on.
  /// @throws input_error  naming the array and the row, if a row that is looked at holds no position of the text
  /// @throws usage_error  rows and patterns differ in number
  void find(std::span<std::string_view const> patterns, std::span<row_range> rows) const;
  [[nodiscard]] row_range find(std::string_view pattern) const;

  /// The position that a row holds. @throws input_error  naming array and row, if that is none of the text
  [[nodiscard]] std::uint64_t position(std::size_t row) const {
    std::uint64_t const p = sa_[row];
    if (p >= input_.size()) refuse(row, p);
    return p;
  }
  /// The position of a row, if there is that row, will soon be asked for.
  void expect(std::size_t row) const noexcept {
    if (row < sa_.size()) sa_.expect(row);
  }
  /// The record of a position.
  [[nodiscard]] std::size_t record_of(std::uint64_t p) const noexcept { return record_of_(p); }
  /// Where the pattern begins in the text, in ascending order.
  [[nodiscard]] std::vector<std::uint64_t> locate(std::string_view pattern) const;

 private:
  class lane;
  [[noreturn]] void refuse(std::size_t row, std::uint64_t p) const;

  text input_;
  entries sa_;
  std::string name_;
  kmer_table words_;
  record_finder record_of_;
};

}  // namespace ordo::suffix
