#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ordo/suffix/policy.hpp"

#pragma GCC visibility push(default)

/// The letters that k-mers and repeats may hold. An index does not record them; they follow from its text.
namespace ordo::inline v0::suffix {

class fm_index;

/// `nucleotides`: A, C, G, T and U, in either case. `all`: N, other codes and gaps count like these.
enum class letter_choice { nucleotides, all };

inline constexpr std::array<std::string_view, 2> letter_choice_words{"nucleotides", "all"};

/// Returns the choice that suits a text: all letters of proteins, else nucleotides. A text is taken for proteins if one letter
/// in a hundred or more is E, F, I, J, L, O, P, Q or Z, which stand for amino acids and for no nucleotides. One pass over the
/// text, by `threads` threads (0: all).
letter_choice usual_letters(std::string_view residues, unsigned threads = 0);
/// Returns the same by the letters that an FM index counts.
letter_choice usual_letters(fm_index const& fm);

/// Marks the letters of a text other than A, C, G, T and U. Memory: a bit for each letter of the text, and a
/// sixty-third of that.
class ambiguous_positions {
 public:
  /// No positions.
  ambiguous_positions() = default;
  /// @param threads  0: all
  explicit ambiguous_positions(std::string_view residues, unsigned threads = 0);

  /// Returns the number of such positions.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Returns the first such position that is not before p; nothing if there is none, or if p is no position of the text. O(log
  /// n).
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t p) const noexcept;

 private:
  using bits = std::vector<std::uint64_t>;

  std::vector<bits> levels_;  // the first one has a bit for each letter of the text; each other one, a bit for each word of the
                              // level before: is it more than 0?
  std::uint64_t count_ = 0;
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
