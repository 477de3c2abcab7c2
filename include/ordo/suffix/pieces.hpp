#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/host_bytes.hpp"
#include "ordo/suffix.hpp"
#include "ordo/suffix/fasta.hpp"
#include "ordo/suffix/policy.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::suffix {

/// The location of letters of a text in a record that was read. `offset` counts on the forward strand from the start of the
/// record to the first of these letters, which is the last one of a reverse complement.
struct location {
  std::size_t record = 0;
  std::uint64_t offset = 0;
  bool reverse = false;
  friend auto operator<=>(location const&, location const&) = default;
};

/// Maps the records of a text to the records that were read. Each is a piece of one of these, or the reverse complement of a
/// piece. Three columns of 64 bits hold an entry for each piece: its start in the text; twice the number of its record, plus
/// one for a reverse complement; and the number of letters of the record before it on the forward strand. The pieces of a
/// record are adjacent: first those of the forward strand, ascending; then, for both strands, their reverse complements, the
/// last one first. A record without any letters left has one empty piece.
class pieces {
 public:
  /// No pieces: the text consists of the records that were read.
  pieces() = default;
  /// @param columns  one after the other; they must outlive this
  explicit pieces(std::span<std::uint64_t const> columns) : columns_(columns), size_(columns.size() / 3) {}

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::uint64_t const> columns() const noexcept { return columns_; }
  /// Returns the starts of the text's records.
  [[nodiscard]] std::span<std::uint64_t const> begins() const noexcept { return columns_.first(size_); }
  /// Returns the record that a piece comes from.
  [[nodiscard]] std::size_t source_record(std::size_t piece) const noexcept {
    return empty() ? piece : std::size_t(columns_[size_ + piece] / 2);
  }
  [[nodiscard]] bool is_reverse(std::size_t piece) const noexcept { return !empty() && columns_[size_ + piece] % 2 != 0; }
  /// Returns the number of letters of the record before the piece.
  [[nodiscard]] std::uint64_t piece_offset(std::size_t piece) const noexcept {
    return empty() ? 0 : columns_[2 * size_ + piece];
  }

  /// Returns the location of `length` letters from position p on, which lie within record `piece` of the text.
  [[nodiscard]] location to_location(text const& input, std::size_t piece, std::uint64_t p,
                                     std::uint64_t length) const noexcept {
    bool const reverse = is_reverse(piece);
    std::uint64_t const inside = reverse ? input.end(piece) - p - length : p - input.begin(piece);
    return {source_record(piece), piece_offset(piece) + inside, reverse};
  }

 private:
  std::span<std::uint64_t const> columns_;
  std::size_t size_ = 0;
};

/// Checks pieces that were read from a file, and returns what is wrong. Pieces without a flaw are safe to use with any text.
/// @param lengths  the lengths of the records that were read
/// @param starts  the starts of their first pieces
std::optional<std::string> find_flaw(pieces const& all, std::uint64_t residues, std::span<std::uint64_t const> starts,
                                     std::span<std::uint64_t const> lengths, policy const& rules);

/// Checks the letters of a text against its pieces and its policy, and returns the first contradiction: a letter at which
/// records end, or a piece that is not the reverse complement of its counterpart. O(n), on `threads` threads (0: all).
std::optional<std::string> find_contradiction(text const& input, pieces const& all, policy const& rules, unsigned threads = 0);

/// A text that consists of pieces of records.
struct cut_text {
  host_bytes residues;
  std::vector<std::uint64_t> columns;  // columns of its pieces

  [[nodiscard]] suffix::pieces pieces() const { return suffix::pieces(columns); }
  [[nodiscard]] text view() const { return {{residues.data(), residues.size()}, pieces().begins()}; }
};

/// Returns the temporary memory of cut_records, in bytes, for a number of kept letters in a number of runs.
std::size_t cut_memory(std::size_t letters, std::size_t runs, strands which_strands);

/// Makes the text that a policy prescribes: cuts records at breaks, and adds the reverse strand if the policy asks for both.
/// The policy must have cuts(). O(n), on `threads` threads (0: all).
/// @param from  with lower case kept, if that ends records
/// @param memory  limit in bytes for the new text and its pieces
/// @throws input_error  naming record, offset and letter: a letter that is no nucleotide code, under a policy of both strands
///     or of ambiguous letters
/// @throws records_too_large
cut_text cut_records(fasta const& from, policy const& rules, std::size_t memory, unsigned threads = 0);

/// Maps each letter to its complement, by the IUPAC codes. '-', '.' and '*' map to themselves. Case is kept.
class complement {
 public:
  /// @param rna  maps A to U, not to T
  explicit complement(bool rna);

  /// Returns the complement of a letter, or NUL if it has none.
  [[nodiscard]] char operator()(char letter) const noexcept { return of_[static_cast<unsigned char>(letter)]; }
  /// Returns the offset of the first letter that has no complement.
  [[nodiscard]] std::size_t first_without(std::string_view letters) const noexcept;
  /// Appends the reverse complement. Letters without a complement are copied.
  void append_reversed(std::string& to, std::string_view letters) const;

 private:
  char of_[256] = {};  // NUL: none
};

}  // namespace ordo::inline v0::suffix
#pragma GCC visibility pop
