#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/spectra/spectrum.hpp"
#include "spectra/mgf/scan.hpp"

namespace ordo::spectra::detail {

/// A text as a list of pieces of another one: what an output is until it is written, so that bytes are copied once.
class text_pieces {
 public:
  void clear() noexcept {
    ranges_.clear();
    size_ = 0;
  }
  /// Appends a piece; one that goes on where the last one ends becomes part of it.
  void add(text_range piece) {
    if (piece.size == 0) return;
    if (!ranges_.empty() && ranges_.back().end() == piece.begin)
      ranges_.back().size += piece.size;
    else
      ranges_.push_back(piece);
    size_ += piece.size;
  }
  [[nodiscard]] std::span<text_range const> ranges() const noexcept { return ranges_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Writes it all to `to`, which has size() bytes and `overrun` more, to which anything may be written.
  /// @param text  which the pieces are of
  void copy(std::string_view text, char* to) const;
  static constexpr std::size_t overrun = 64;

 private:
  std::vector<text_range> ranges_;
  std::uint64_t size_ = 0;
};

/// Appends one spectrum of a table: all of its lines but the peaks' keep their place in the sequence, and its j-th peak line is
/// that of the peak order[j], counted in the whole table.
/// @param keep  for each peak of the table whether it stays; as many of the spectrum's do as `order` has
/// @param unterminated  the spectrum's last peak has no line end: where another one comes behind it, it takes that one's, so
/// that the output ends without one, too; where it does not stay nothing else loses its own
void add_spectrum(text_pieces& to, std::string_view text, peak_table const& table, std::size_t s,
                  std::span<std::uint8_t const> keep, std::span<std::uint32_t const> order, bool unterminated);

}  // namespace ordo::spectra::detail
