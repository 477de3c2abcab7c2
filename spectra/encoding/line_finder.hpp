#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

namespace ordo::inline v0::spectra::detail {

/// Finds the lines of a text, which end with LF, CRLF or a lone CR.
class line_finder {
 public:
  struct line {
    std::size_t end, next;  // where the text of the line ends, and where the next line begins
  };
  /// Finds the line that begins at `from`, which does not descend.
  /// @param last  no text follows
  /// @returns nothing if the line may go on after the text
  std::optional<line> find(std::string_view text, std::size_t from, bool last);

 private:
  std::size_t lf_ = 0;  // no LF is between the last `from` and here
};

}  // namespace ordo::inline v0::spectra::detail
