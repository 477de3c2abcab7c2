#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix/index.hpp"
#include "ordo/suffix/pieces.hpp"
#include "ordo/suffix/search.hpp"
#include "tools/sufsort/queries.hpp"

namespace ordo::sufsort {

/// An index, opened to be searched.
struct searched_index {
  suffix::stored_index stored;
  suffix::text input;
  suffix::pieces pieces;
  suffix::searcher search;
  std::optional<suffix::sampled_searcher> sparse;  // where rows are left out
  bool both_strands;                               // does the text have both?
  bool thymine, uracil;                            // which of T and U does it have?
  suffix::complement other_strand;

  /// @throws input_error
  explicit searched_index(std::string const& prefix);
  searched_index(searched_index const&) = delete;  // sparse has a view of it
  searched_index& operator=(searched_index const&) = delete;

  /// How the letters of patterns are read: in upper case, unless the text has lower case; and where both strands are searched,
  /// T and U as the one of them that these have. @throws input_error  if that is not known
  [[nodiscard]] std::array<char, 256> read_as(bool strands) const;
  [[nodiscard]] bool is_reverse(std::uint64_t p) const { return pieces.is_reverse(search.record_of(p)); }

 private:
  [[nodiscard]] bool occurs(char letter) const;
};

/// Patterns and what was found of them: of each pattern i as it is, as i; and, where the other strand is looked for and the
/// text does not hold it, of its reverse complement, as reverse(i). Either is a range of rows, or, where the array lacks rows,
/// a list of positions.
struct found_batch {
  query_batch queries;
  std::string reversed;  // all reverse complements
  std::vector<std::string_view> patterns;
  std::vector<suffix::row_range> rows;
  std::vector<std::vector<std::uint64_t>> listed;
  std::string text;            // of the first of them
  std::size_t written_of = 0;  // how many patterns that is

  /// Finds the patterns of `queries`, but nothing of empty ones. @param reverse  and their reverse complements @throws
  /// input_error  where one has none
  void search(searched_index const& index, bool reverse);
  [[nodiscard]] bool has_reverse() const { return rows.size() != queries.size(); }
  [[nodiscard]] std::size_t reverse(std::size_t i) const { return queries.size() + i; }
  [[nodiscard]] std::size_t count(std::size_t k) const { return listed.empty() ? rows[k].size() : listed[k].size(); }
  [[nodiscard]] std::uint64_t position(searched_index const& index, std::size_t k, std::size_t hit) const {
    return listed.empty() ? index.search.position(rows[k].begin + hit) : listed[k][hit];
  }
  /// On either strand.
  [[nodiscard]] std::size_t hits(std::size_t i) const { return count(i) + (has_reverse() ? count(reverse(i)) : 0); }
};

}  // namespace ordo::sufsort
