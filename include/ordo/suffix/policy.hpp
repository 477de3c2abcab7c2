#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ordo/detail/fn.hpp"

/// What of the records that were read an index has. First the letters' case, then the records' ends, then the other strand:
/// that makes the text. Then which of its suffixes have rows in the arrays.
namespace ordo::suffix {

/// The records of a text: those that were read, or each of them followed by its reverse complement, a record of its own.
enum class strands { forward, both };

/// What is done with letters that are no nucleotide, as N, the other codes of IUPAC and gaps. `symbol`: they are letters like
/// all others. `breaks`: they are not in the text, and a record ends before them. `skip`: they are in the text, and suffixes
/// are compared through them, but the suffixes that begin with one have no rows.
enum class ambiguous_letters { symbol, breaks, skip };

/// What is done with lower case, in which repeats are masked: made upper case; kept, as letters of their own; or not in the
/// text, and a record ends before it.
enum class masked_letters { fold, keep, breaks };

/// Which suffixes of a text have rows in its arrays. The others are left out: the order is that of all suffixes without them,
/// and an LCP is of neighbours as they are then.
struct row_choice {
  bool skip_ambiguous = false;  // not those that begin with a letter that is no nucleotide
  std::uint64_t sample = 1;     // of each record of the text only positions 0, sample, 2 sample, ...; above 0

  [[nodiscard]] constexpr bool all() const noexcept { return !skip_ambiguous && sample == 1; }
};

struct policy {
  suffix::strands strands = suffix::strands::forward;
  ambiguous_letters ambiguous = ambiguous_letters::symbol;
  masked_letters masked = masked_letters::fold;
  std::uint64_t sample = 1;

  /// Are the records of the text others than those that were read?
  [[nodiscard]] constexpr bool cuts() const noexcept { return strands == suffix::strands::both || breaks(); }
  /// Do some letters end a record?
  [[nodiscard]] constexpr bool breaks() const noexcept {
    return ambiguous == ambiguous_letters::breaks || masked == masked_letters::breaks;
  }
  /// Is the text of lower case, too?
  [[nodiscard]] constexpr bool keeps_case() const noexcept { return masked == masked_letters::keep; }
  [[nodiscard]] constexpr row_choice rows() const noexcept { return {ambiguous == ambiguous_letters::skip, sample}; }
  friend bool operator==(policy const&, policy const&) = default;
};

/// The words for them, in an index's description and in commands.
inline constexpr std::array<std::string_view, 2> strands_words{"forward", "both"};
inline constexpr std::array<std::string_view, 3> ambiguous_words{"symbol", "break", "skip"},
    masked_words{"fold", "keep", "break"};

/// The value of an enumeration that a word stands for.
template <class Value, std::size_t N>
constexpr std::optional<Value> value_of(std::array<std::string_view, N> const& words, std::string_view word) noexcept {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == word) return Value(i);
  return std::nullopt;
}

/// A, C, G, T or U, in either case.
ORDO_FN constexpr bool is_nucleotide(unsigned char letter) {
  unsigned const number = (letter | 0x20u) - 'a';
  return (letter & 0x40u) != 0 && number < 26 && ((1u << 0 | 1u << 2 | 1u << 6 | 1u << 19 | 1u << 20) >> number & 1u) != 0;
}

}  // namespace ordo::suffix
