#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "ordo/detail/fn.hpp"
#include "ordo/memory.hpp"
#include "ordo/suffix/matches.hpp"

// The host's part of searches for many queries at a time (matches_on.hpp): queries are cut into pieces for the machine's
// threads, and what these find becomes matches. All threads of the caller's arena do so, without tasks of others on the way.
namespace ordo::inline v0::suffix::detail {

/// A part of a query that one thread walks through: the offsets [begin, end). Those from `wanted` on are results. A match at
/// the offset before `wanted` may include the first result, so that offset has a slot in the arrays, even if `wanted` is 0.
struct query_piece {
  std::uint64_t letters_at, size;    // the query from offset 0 on, among all letters
  std::uint64_t begin, wanted, end;  // from there
  std::uint64_t slot;                // the slot of the offset before `wanted`

  [[nodiscard]] ORDO_FN std::uint64_t slot_at(std::uint64_t offset) const { return slot + (offset + 1 - wanted); }
};

/// The slots of a part of a query.
struct part_place {
  std::uint64_t begin;        // the first offset, in the query
  std::uint64_t slot, slots;  // the first one, and their number
};

/// Parts of queries, cut into pieces.
class query_pieces {
 public:
  // Fewer letters keep more threads busy, and each piece costs a search more.
  static constexpr std::uint64_t letters_of_piece = 256;

  /// @param with_slots  a slot for the offset before each piece
  query_pieces(std::span<query_part const> parts, bool with_slots);

  /// Returns the letters of the queries from where the first of their parts needs them. Parts of one query that follow each
  /// other in the order of their offsets share them.
  [[nodiscard]] std::span<char const> letters() const noexcept { return letters_.span(); }
  [[nodiscard]] std::span<query_piece const> pieces() const noexcept { return pieces_.span(); }
  [[nodiscard]] std::uint64_t slots() const noexcept { return slots_; }
  [[nodiscard]] std::span<part_place const> places() const noexcept { return places_; }
  [[nodiscard]] std::vector<part_place> release_places() noexcept { return std::move(places_); }

 private:
  buffer<char> letters_;
  buffer<query_piece> pieces_;
  std::vector<part_place> places_;
  std::uint64_t slots_ = 0;
};

/// A string that was found, by the slot of its first letter.
struct found_string {
  std::uint64_t slot;
  std::uint64_t length;         // if all its matches have the same
  std::uint64_t positions_end;  // among the positions of all strings
};

/// The strings that were found, by their slots, and where they occur in the text.
struct found_strings {
  buffer<found_string> strings;
  buffer<std::uint64_t> positions;  // positions of one string in any order
  buffer<std::uint64_t> lengths;    // the length of the match at each position; none if strings have them

  /// Appends the matches of some parts, and sets ends[i] to the number of matches after those of part i.
  void append(std::span<part_place const> places, std::vector<match>& matches, std::span<std::size_t> ends) const;
};

}  // namespace ordo::inline v0::suffix::detail
