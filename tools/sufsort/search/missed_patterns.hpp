#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sufsort/search/searched_index.hpp"

namespace ordo::inline v0::sufsort {

/// Patterns without hits that may have been meant otherwise: the names of files, codes of IUPAC, and T where the text has U.
class missed_patterns {
 public:
  /// @param patterns  the operands @param both_strands  both are searched
  missed_patterns(searched_index const& index, std::vector<std::string> const& patterns, bool both_strands);

  /// Notes a pattern that has no hits. @param letters  those of the search
  void add(std::string_view name, std::string_view letters);
  /// Warns of each kind once, with its first pattern.
  void report() const;

 private:
  struct kind {
    std::string first, why;
    std::size_t count = 0;
  };
  static void note(kind& to, std::string_view name, std::string why);
  [[nodiscard]] bool is_of_nucleotides();

  searched_index const& index_;
  std::vector<std::string> files_;  // operands that are names of files
  bool reads_both_;                 // whether T and U of patterns are read as the one that the text has
  int of_nucleotides_ = -1;         // the text; -1: not known yet
  kind file_, code_, other_letter_;
};

}  // namespace ordo::inline v0::sufsort
