#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra/spectrum.hpp"
#include "spectra/chunk/chunk.hpp"
#include "spectra/mgf/scan.hpp"

namespace ordo::inline v0::spectra::detail {

/// MGF. Chunks whose spectra are all in order are written as they were read.
/// @param task, log  must outlive the format
std::unique_ptr<input_format> make_mgf_format(source& input, chunk_task const& task, diagnostics& log);

// ---- Writing of sorted and selected spectra: lines are moved, and no number is printed ----

/// Sorts the peak lines of one spectrum in place. The j-th slot gets the line slots[order[j] - base]; text between the slots
/// keeps its place in the sequence.
/// @param text  may be read after the last slot
/// @param unterminated  the last line has no line end, and takes that of the line which comes last
/// @param scratch  memory for one spectrum, reused
void permute_lines(std::span<char> text, std::span<peak const> slots, std::span<std::uint32_t const> order, std::uint32_t base,
                   bool unterminated, std::vector<char>& scratch);

/// A text as a list of ranges of another one, so that its bytes are copied once; and of a second one, whose bytes count from
/// one after the end of the first.
class text_ranges {
 public:
  /// Bytes that copy() may write after the text.
  static constexpr std::size_t overrun = 64;

  void clear() noexcept {
    ranges_.clear();
    size_ = 0;
  }
  /// Appends a range. Adjacent ranges become one.
  void add(text_range range) {
    if (range.size == 0) return;
    if (!ranges_.empty() && ranges_.back().end() == range.begin)
      ranges_.back().size += range.size;
    else
      ranges_.push_back(range);
    size_ += range.size;
  }
  [[nodiscard]] std::span<text_range const> ranges() const noexcept { return ranges_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Writes size() bytes to `output`, and up to `overrun` more. @param text, second  the bytes that the ranges refer to
  void copy(std::string_view text, std::string_view second, char* output) const;

 private:
  std::vector<text_range> ranges_;
  std::uint64_t size_ = 0;
};

/// A change of the text before the peaks of a spectrum: a range, and one of the second text in its place.
struct header_edit {
  text_range replaced, by;
};

/// Appends one spectrum of a table. Its j-th peak line is that of the peak order[j]; all other lines keep their place in the
/// sequence, but for the edits.
/// @param lines  the lines of the peaks of the table: those of the table, or ranges of a second text in their place
/// @param keep  1 for each peak of the table that is kept @param order  the kept peaks of the spectrum
/// @param unterminated  the last peak of the spectrum has no line end. If another one comes last it loses its line end to it,
/// so that the output ends without one, too; if the last peak is dropped the others keep theirs
void add_spectrum(text_ranges& output, std::string_view text, peak_table const& table, std::span<text_range const> lines,
                  std::size_t s, std::span<std::uint8_t const> keep, std::span<std::uint32_t const> order, bool unterminated,
                  std::span<header_edit const> edits = {});

}  // namespace ordo::inline v0::spectra::detail
