#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ordo/detail/fn.hpp"

#pragma GCC visibility push(default)

/// The policy of an index: which letters, strands and rows it has of the records that were read. First letters are folded, then
/// records are cut, then the reverse strand is added: this is the text. At last some suffixes are left out of the arrays.
namespace ordo::inline v0::suffix {

/// `forward`: the records that were read. `both`: each is followed by its reverse complement, as a record of its own.
enum class strands { forward, both };

/// The treatment of letters that are no nucleotides, such as N, other IUPAC codes and gaps. `symbol`: they are letters like all
/// others. `breaks`: they are removed, and records end before them. `skip`: they stay and take part in comparisons, but
/// suffixes that begin with one have no rows.
enum class ambiguous_letters { symbol, breaks, skip };

/// The treatment of lower case, which masks repeats. `fold`: made upper case. `keep`: letters of their own. `breaks`: removed,
/// and records end before them.
enum class masked_letters { fold, keep, breaks };

/// The suffixes of a text that have rows in its arrays. The rows of all others are removed; LCP values refer to the rows that
/// are adjacent then.
struct row_selection {
  bool skip_ambiguous = false;  // leaves out suffixes that begin with a letter that is no nucleotide
  std::uint64_t sample = 1;     // keeps positions 0, sample, 2 sample, ... of each record of the text; above 0

  [[nodiscard]] constexpr bool all() const noexcept { return !skip_ambiguous && sample == 1; }
};

struct policy {
  suffix::strands strands = suffix::strands::forward;
  ambiguous_letters ambiguous = ambiguous_letters::symbol;
  masked_letters masked = masked_letters::fold;
  std::uint64_t sample = 1;

  /// Returns true if the records of the text differ from those that were read.
  [[nodiscard]] constexpr bool cuts() const noexcept { return strands == suffix::strands::both || breaks(); }
  /// Returns true if some letters end a record.
  [[nodiscard]] constexpr bool breaks() const noexcept {
    return ambiguous == ambiguous_letters::breaks || masked == masked_letters::breaks;
  }
  /// Returns true if lower case differs from upper case in the text.
  [[nodiscard]] constexpr bool keeps_case() const noexcept { return masked == masked_letters::keep; }
  [[nodiscard]] constexpr row_selection rows() const noexcept { return {ambiguous == ambiguous_letters::skip, sample}; }
  friend bool operator==(policy const&, policy const&) = default;
};

/// The names of the values, in descriptions of indexes and in commands.
inline constexpr std::array<std::string_view, 2> strands_words{"forward", "both"};
inline constexpr std::array<std::string_view, 3> ambiguous_words{"symbol", "break", "skip"},
    masked_words{"fold", "keep", "break"};

/// Returns the value of an enumeration that has this name.
template <class Value, std::size_t N>
constexpr std::optional<Value> parse_word(std::array<std::string_view, N> const& words, std::string_view word) noexcept {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == word) return Value(i);
  return std::nullopt;
}

/// Returns true if a letter is A, C, G, T or U, in either case.
ORDO_FN constexpr bool is_nucleotide(unsigned char letter) {
  unsigned const number = (letter | 0x20u) - 'a';
  return (letter & 0x40u) != 0 && number < 26 && ((1u << 0 | 1u << 2 | 1u << 6 | 1u << 19 | 1u << 20) >> number & 1u) != 0;
}

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
