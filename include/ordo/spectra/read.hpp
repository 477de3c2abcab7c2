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

/// The spectra of an input as columns. Spectrum s has the peaks [offsets[s], offsets[s + 1]) of mz and intensity, which are the
/// arrays that ordo/spectra/arrays.hpp sorts and selects.
struct spectrum_columns {
  std::vector<double> mz, intensity;             // m/z and intensity of all peaks; a missing intensity is NaN
  std::vector<std::uint64_t> offsets{0};         // offsets of peaks: one more than there are spectra
  std::vector<double> precursor_mz, rt_seconds;  // one of each a spectrum; NaN: missing
  std::vector<std::int32_t> charge;              // the first charge of the precursor; 0: missing
  std::vector<std::uint32_t> ms_level;           // 0: missing
  std::string titles;                            // end to end; "": missing
  std::vector<std::uint64_t> title_offsets{0};   // in titles: one more than there are spectra

  [[nodiscard]] std::size_t size() const noexcept { return charge.size(); }
  [[nodiscard]] std::string_view title(std::size_t s) const noexcept {
    return std::string_view(titles).substr(title_offsets[s], title_offsets[s + 1] - title_offsets[s]);
  }
  void add(spectrum const& spectrum);
  void add(spectrum_columns const& other);
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
