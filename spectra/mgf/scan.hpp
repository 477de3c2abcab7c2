#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/radix_key.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/spectrum.hpp"

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
  bad_header,     // the value of a parameter that is wanted is no number
  foreign,        // before the first spectrum: neither query, comment nor parameter; the input seems to be no MGF
  moved_scope,    // a parameter between spectra, where these are put in order: it would come to stand before others
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

/// Makes such a code of an m/z or an intensity; one that is missing comes last in either direction. The two zeros are equal.
class peak_code {
 public:
  explicit peak_code(bool descending) : flip_(descending ? ~std::uint64_t{0} : 0) {}
  [[nodiscard]] std::uint64_t of(double value) const { return radix_key<double>::encode(value + 0.0) ^ flip_; }
  static constexpr std::uint64_t missing = ~std::uint64_t{0};  // above all others, infinity's too

 private:
  std::uint64_t flip_;
};

/// The first peak of a piece that is smaller than the one before it.
struct disorder_at {
  finding where;
  std::uint64_t spectrum;  // of the piece, from 0
  std::size_t begin;       // of that spectrum's BEGIN IONS
};

/// All spectra of a piece and their peaks, in the order of the text: spectrum s has the peaks [first_peak(s), first_peak(s +
/// 1)).
struct peak_table {
  struct entry {
    text_range text;           // from BEGIN IONS to the end of END IONS' line
    std::uint32_t first_peak;  // of all peaks of the piece
    spectrum_header header;    // if headers were asked for; the title is a view of the piece
  };
  std::vector<entry> spectra;
  std::vector<double> mz, intensity;  // of each peak; a missing intensity is NaN
  std::vector<text_range> lines;

  [[nodiscard]] std::uint32_t first_peak(std::size_t s) const {
    return s == spectra.size() ? std::uint32_t(mz.size()) : spectra[s].first_peak;
  }
  [[nodiscard]] peak_list peaks(std::size_t s) const {
    std::size_t const begin = first_peak(s), size = first_peak(s + 1) - begin;
    return {std::span(mz).subspan(begin, size), std::span(intensity).subspan(begin, size),
            std::span(lines).subspan(begin, size)};
  }
  [[nodiscard]] spectrum at(std::size_t s) const { return {spectra[s].header, peaks(s), spectra[s].text, s}; }
  void clear() {
    spectra.clear();
    mz.clear();
    intensity.clear();
    lines.clear();
  }
};

/// What a scan keeps of the spectra: the peaks of those that are out of order, with codes; or all. With headers alone the table
/// has its spectra, and no peaks.
enum class scan_keeps { disordered, disordered_and_headers, table, table_and_headers };

/// Parameters whose value has to be a number, where headers are read: else it is an error.
struct needed_parameters {
  bool precursor = true, rt = false, scan = false;
};

struct scan_options {
  sort_key by = sort_key::mz;
  bool descending = false;
  bool lenient = false;
  bool check = false;     // stop at the first disorder, and keep no peaks
  std::size_t shown = 0;  // warnings to keep; the others are counted
  bool begun = false;     // a spectrum came before this text
  scan_keeps keeps = scan_keeps::disordered;
  bool all_headers = false;  // all of a header is wanted, as far as it can be had; else what is needed, or an error
  needed_parameters needed = {};
  bool end_needed = false;  // a missing END IONS is an error, if lenient, too
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
  bool unterminated = false;          // the last of `peaks`, or of `table`, is the end of the text, and has no line end
  peak_table table;                   // if that is what was to be kept
};

/// Scan whole lines (only the last of an input may lack its end) that begin outside a spectrum or with BEGIN IONS. Less than
/// 4 GiB. `result` is overwritten; its memory is used again.
void scan(std::span<char const> text, scan_options const& options, scan_result& result);

}  // namespace ordo::spectra::detail
