#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/io.hpp"
#include "ordo/spectra.hpp"
#include "ordo/spectra/spectrum.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0::spectra {

/// Strings, end to end.
struct string_column {
  std::string text;
  std::vector<std::uint64_t> offsets{0};  // one more than there are strings

  [[nodiscard]] std::string_view operator[](std::size_t s) const noexcept {
    return std::string_view(text).substr(offsets[s], offsets[s + 1] - offsets[s]);
  }
  void push_back(std::string_view string) {
    text += string;
    offsets.push_back(text.size());
  }
};

/// The spectra of an input as columns. Spectrum s has the peaks [offsets[s], offsets[s + 1]) of mz and intensity, which are the
/// arrays that ordo/spectra/arrays.hpp sorts and selects.
struct spectrum_columns {
  std::vector<double> mz, intensity;             // m/z and intensity of all peaks; a missing intensity is NaN
  std::vector<std::uint64_t> offsets{0};         // offsets of peaks: one more than there are spectra
  std::vector<double> precursor_mz, rt_seconds;  // one of each a spectrum; NaN: missing
  std::vector<double> ion_mobility;              // in the unit of the input; NaN: missing
  std::vector<std::int32_t> charge;              // the first charge of the precursor; 0: missing
  std::vector<std::uint32_t> ms_level;           // 0: missing
  std::vector<std::int64_t> scan;                // the first, of several; -1: missing
  std::vector<std::int8_t> polarity;             // 1: positive ions; -1: negative ones; 0: missing
  string_column titles, native_ids, sequences;   // "": missing

  [[nodiscard]] std::size_t size() const noexcept { return charge.size(); }
  [[nodiscard]] std::string_view title(std::size_t s) const noexcept { return titles[s]; }
  void add(spectrum const& spectrum);
  void add(spectrum_columns const& other);
  /// Adds the values of a spectrum of other columns, without its peaks.
  void add_values(spectrum_columns const& other, std::size_t s);
};

/// Reads the rest of an MGF input into memory, in its order, on all threads of the CPU. Memory: 16 bytes a peak, and those of
/// the chunks at work; up to twice as many while a column grows.
/// @throws as check
spectrum_columns read_spectra(source& input, sort_options const& options);
/// Writes spectra as MGF, as MSP with the names of options.names, or as mzSpecLib. Numbers have as many digits as give back the
/// same value.
/// @throws usage_error  for another format, and the errors of the sink
void write_spectra(spectrum_columns const& spectra, sink& output, format as, sort_options const& options = {});
/// Reads the rest of an mzML document, with spectra of every MS level.
/// @throws as check_mzml
spectrum_columns read_mzml_spectra(source& input, sort_options const& options);

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
