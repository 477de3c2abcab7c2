#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/spectra.hpp"
#include "ordo/spectra/spectrum.hpp"
#include "spectra/peaks/chunk_peaks.hpp"

// Reads MGF: classifies the lines of a chunk, and finds the spectra that are out of order.
namespace ordo::inline v0::spectra::detail {

/// A fault of a line.
enum class fault {
  missing_end,    // BEGIN IONS, or the end of the input, inside a spectrum
  stray_end,      // END IONS outside
  not_delimiter,  // begin ions, End Ions, BEGIN  IONS
  not_finite,     // a peak whose m/z or intensity is NaN or infinite: not a peak
  bad_number,     // begins like a peak, but is none
  bad_intensity,  // a peak whose second word is no number
  unknown,        // neither peak, comment nor parameter
  bad_header,     // the value of a parameter that is needed is no number
  foreign,        // neither query, comment nor parameter before the first spectrum: the input seems not to be MGF
  moved_scope,    // a parameter between spectra that are ordered: it would come to stand before others
};

/// A fault with its line, counted from 0 in the chunk, and the begin and end of the text of the line, without line end. `since`
/// is the line of the BEGIN IONS that lacks its END IONS.
struct line_fault {
  fault what;
  std::uint64_t line;
  std::size_t begin, end;
  std::uint64_t since = 0;
};

inline std::string_view fault_line(line_fault const& fault, std::string_view text) {
  return text.substr(fault.begin, fault.end - fault.begin);
}

/// A peak: its code, and the range of its line in the chunk, with line end.
struct peak {
  std::uint64_t code;
  std::uint32_t begin, length;
};

/// The first peak of a chunk that is smaller than the one before it.
struct disorder_at {
  line_fault where;
  std::uint64_t spectrum;  // number in the chunk, from 0
  std::size_t begin;       // where BEGIN IONS of that spectrum is
};

/// All spectra of a chunk and their peaks, in the order of the text: spectrum s has the peaks [first_peak(s), first_peak(s +
/// 1)).
struct peak_table {
  struct entry {
    text_range text;           // from BEGIN IONS to the end of END IONS' line
    std::uint32_t first_peak;  // among all peaks of the chunk
    spectrum_header header;    // if headers are read; the title is a view of the chunk
  };
  std::vector<entry> spectra;
  std::vector<double> mz, intensity;  // m/z and intensity of each peak; a missing intensity is NaN
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

/// The peaks that a scan keeps: those of disordered spectra, with codes; or all, in the table. Headers are in the table in both
/// cases.
enum class scan_keeps { disordered, disordered_and_headers, table, table_and_headers };

/// Parameters of headers whose value must be a number; another value is an error.
struct needed_parameters {
  bool precursor = true, rt = false, scan = false, ms_level = false;
};

struct scan_options {
  sort_key by = sort_key::mz;
  bool descending = false;
  bool lenient = false;
  bool check = false;            // stops at the first disorder, and keeps no peaks
  std::size_t max_warnings = 0;  // the number of warnings that are kept; all are counted
  bool begun = false;            // a spectrum came before this chunk
  scan_keeps keeps = scan_keeps::disordered;
  bool all_headers = false;  // reads all parameters, and warns of values that are no numbers; else those needed, with an error
  needed_parameters needed = {};
  bool end_needed = false;  // a missing END IONS is an error even if lenient
};

/// The result of a scan.
struct scan_result {
  std::vector<peak> peaks;        // peaks of the disordered spectra, in the order of the text
  std::vector<std::size_t> ends;  // the end of each of them, in `peaks`
  std::uint64_t lines = 0, spectra = 0, all_peaks = 0, warnings = 0;
  std::vector<line_fault> first_warnings;
  std::optional<line_fault> first_foreign;  // the first of the lines that are forgiven
  std::optional<line_fault> error;          // the first one, at which the scan stopped
  std::optional<disorder_at> disorder;
  std::optional<std::uint64_t> open;  // the line of a BEGIN IONS without END IONS at the end of the chunk
  bool unterminated = false;          // the last of `peaks`, or of `table`, is the end of the text, and has no line end
  peak_table table;                   // if the options say so

  void warn(line_fault const& line_fault, std::size_t max_warnings) {
    ++warnings;
    if (line_fault.what == fault::foreign && !first_foreign) first_foreign = line_fault;
    if (first_warnings.size() < max_warnings) first_warnings.push_back(line_fault);
  }
};

/// Returns true for a line that no MGF has before its first spectrum.
bool is_foreign(std::string_view line);

/// Scans whole lines, of which only the last of an input may lack its end, outside a spectrum or from BEGIN IONS on. Less than
/// 4 GiB. `result` is overwritten, and its memory reused.
void scan(std::span<char const> text, scan_options const& options, scan_result& result);

}  // namespace ordo::inline v0::spectra::detail
