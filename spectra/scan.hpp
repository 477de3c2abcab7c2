#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "spectra/spectra.hpp"

// Reads MGF: tells the lines of a piece of text apart, and finds the spectra that are out of order.
namespace ordo::spectra::detail {

/// What can be wrong with a line.
enum class fault {
  missing_end,    // BEGIN IONS, or the end of the input, inside a spectrum
  stray_end,      // END IONS outside
  not_delimiter,  // begin ions, End Ions, BEGIN  IONS
  not_finite,     // a peak whose m/z or intensity is NaN or infinite: not a peak
  bad_number,     // begins like a peak, but is none
  bad_intensity,  // a peak whose second word is no number
  unknown,        // neither peak, comment nor parameter
  foreign,        // before the first spectrum: neither query, comment nor parameter; the input seems to be no MGF
};

/// A line of a piece of text, counted from 0, where its text begins and ends, line end excluded. `since` is the line of the
/// BEGIN IONS that misses its END IONS.
struct finding {
  fault what;
  std::uint64_t line;
  std::size_t begin, end;
  std::uint64_t since = 0;
};

inline std::string_view line_of(finding const& found, std::string_view text) {
  return text.substr(found.begin, found.end - found.begin);
}

/// A peak's line, all bytes of it, as an offset in its piece and a length; and its code, which orders peaks by < as asked for.
struct peak {
  std::uint64_t code;
  std::uint32_t begin, length;
};

/// The first peak of a piece that is smaller than the one before it.
struct disorder_at {
  finding where;
  std::uint64_t spectrum;  // of the piece, from 0
  std::size_t begin;       // of that spectrum's BEGIN IONS
};

struct scan_options {
  sort_key by = sort_key::mz;
  bool descending = false;
  bool lenient = false;
  bool check = false;     // stop at the first disorder, and keep no peaks
  std::size_t shown = 0;  // warnings to keep; the others are counted
  bool begun = false;     // a spectrum came before this text
};

/// What was found in a piece of text.
struct scan_result {
  std::vector<peak> peaks;        // of the spectra that are out of order, one after the other, in the order of the text
  std::vector<std::size_t> ends;  // of each of them, in `peaks`
  std::uint64_t lines = 0, spectra = 0, all_peaks = 0, warnings = 0;
  std::vector<finding> first_warnings;
  std::optional<finding> error;  // the first one; what follows it was not read
  std::optional<disorder_at> disorder;
  std::optional<std::uint64_t> open;  // the line of a BEGIN IONS without END IONS at the end of the piece
  bool unterminated = false;          // the last of `peaks` is the end of the text, and has no line end
};

/// Scan whole lines (only the last of an input may lack its end) that begin outside a spectrum or with BEGIN IONS. Less than
/// 4 GiB. `result` is overwritten; its memory is used again.
void scan(std::span<char const> text, scan_options const& options, scan_result& result);

}  // namespace ordo::spectra::detail
