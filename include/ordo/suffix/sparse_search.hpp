#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/policy.hpp"
#include "ordo/suffix/search.hpp"

namespace ordo::suffix {

/// Finds patterns in a text whose array lacks rows. An occurrence whose own row was left out is found by that of a position
/// some letters on: with every D-th position in the array there is one among any D, and the letters before it are compared. So
/// a search takes D searches for ends of the pattern, and looks at each row that they find; where the last of these ends are
/// short, there are many.
class sparse_searcher {
 public:
  /// What it is given must outlive it. @param which  the rows that the array has
  sparse_searcher(text const& input, searcher const& rows, row_choice which) : input_(input), rows_(rows), which_(which) {}

  /// Has each occurrence of a pattern a row? Not of one of less than `sample` letters; where suffixes that begin with
  /// ambiguous letters are left out, nor of one that has nothing else where rows are looked for.
  [[nodiscard]] bool can_find(std::string_view pattern) const { return shifts_of(pattern).size() == which_.sample; }
  /// Where the pattern begins in the text, in ascending order.
  /// @throws input_error  for a pattern that it cannot find. And as searcher::find
  [[nodiscard]] std::vector<std::uint64_t> locate(std::string_view pattern) const;

 private:
  [[nodiscard]] std::vector<std::size_t> shifts_of(std::string_view pattern) const;

  text input_;
  searcher const& rows_;
  row_choice which_;
};

}  // namespace ordo::suffix
