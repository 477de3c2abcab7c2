#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ordo/suffix.hpp"
#include "ordo/suffix/policy.hpp"

namespace ordo::suffix {

/// Where letters of a text are in a record that was read. `offset` counts from the record's begin on the forward strand to the
/// first of the letters there, which is the last one of a reverse complement.
struct place {
  std::size_t record = 0;
  std::uint64_t offset = 0;
  bool reverse = false;
  friend auto operator<=>(place const&, place const&) = default;
};

/// Where the records of a text come from, if they are not those that were read: each is a piece of one of these, or the reverse
/// complement of a piece. Three columns of 64 bits, one entry for each piece: where it begins in the text; twice the number of
/// its record, plus one for a reverse complement; and how many letters of the record lie before it on the forward strand.
/// The pieces of a record lie side by side: those of the forward strand, ascending, and then, of an index of both strands,
/// their reverse complements, the last one first. A record of which nothing is left has one piece without letters.
class pieces {
 public:
  /// The text's records are those that were read.
  pieces() = default;
  /// @param columns  one after the other; they must outlive this
  explicit pieces(std::span<std::uint64_t const> columns) : columns_(columns), size_(columns.size() / 3) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::uint64_t const> columns() const noexcept { return columns_; }
  /// The starts of the text's records.
  [[nodiscard]] std::span<std::uint64_t const> begins() const noexcept { return columns_.first(size_); }
  /// The record that a record of the text comes from.
  [[nodiscard]] std::size_t record_of(std::size_t piece) const noexcept {
    return empty() ? piece : std::size_t(columns_[size_ + piece] / 2);
  }
  [[nodiscard]] bool is_reverse(std::size_t piece) const noexcept { return !empty() && columns_[size_ + piece] % 2 != 0; }
  /// How many letters of the record lie before the piece.
  [[nodiscard]] std::uint64_t offset_of(std::size_t piece) const noexcept { return empty() ? 0 : columns_[2 * size_ + piece]; }

  /// Of `length` letters from position p on, all within one record of the text, which is given.
  [[nodiscard]] place place_of(text const& input, std::size_t piece, std::uint64_t p, std::uint64_t length) const noexcept {
    bool const reverse = is_reverse(piece);
    std::uint64_t const inside = reverse ? input.end_of(piece) - p - length : p - input.begin_of(piece);
    return {record_of(piece), offset_of(piece) + inside, reverse};
  }

 private:
  std::span<std::uint64_t const> columns_;
  std::size_t size_ = 0;
};

/// What is wrong with pieces that were read from a file, if anything: with none they can be used, whatever the text holds.
/// @param lengths  of the records, as they were read @param starts  of their first pieces
std::optional<std::string> flaw_in(pieces const& all, std::uint64_t residues, std::span<std::uint64_t const> starts,
                                   std::span<std::uint64_t const> lengths, policy const& which);

/// How the letters of a text contradict its pieces and its policy, if they do: a letter that ends records and is there; a piece
/// that is not the reverse complement of its other one. O(n), by `threads` threads (0: all).
std::optional<std::string> contradiction_in(text const& input, pieces const& all, policy const& which, unsigned threads = 0);

}  // namespace ordo::suffix
