#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/pieces.hpp"
#include "tools/sufsort/search/searched_index.hpp"

namespace ordo::inline v0::sufsort {

/// The records of a text that are circular.
class circular_records {
 public:
  /// @param names  the names of records; "all": all of them @throws usage_error  for other names; input_error  for an index
  /// whose text
  ///     does not consist of whole records
  circular_records(searched_index const& index, std::vector<std::string> const& names);

  [[nodiscard]] bool any() const { return !circular_.empty(); }
  /// Returns true if a record of the text is circular.
  [[nodiscard]] bool has(std::size_t record) const { return !circular_.empty() && circular_[record]; }
  /// Returns for each record of the text whether it is circular; nothing if none is.
  [[nodiscard]] std::vector<bool> const& of_text() const { return circular_; }
  /// Returns where letters of a circular record are that may go around.
  [[nodiscard]] suffix::location to_location(std::size_t record, std::uint64_t p, std::uint64_t length) const;
  /// Returns the positions of the pattern's hits that begin at the end of a circular record and go on at its start, once around
  /// at most. Takes time for each circular record.
  [[nodiscard]] std::vector<std::uint64_t> locate(std::string_view pattern) const;

 private:
  suffix::text input_;
  suffix::pieces pieces_;
  std::vector<bool> circular_;  // empty: none
};

}  // namespace ordo::inline v0::sufsort
