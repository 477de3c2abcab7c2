#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/spectra/read.hpp"
#include "spectra/mzspeclib/writer.hpp"
#include "spectra/pipeline/pipeline.hpp"

namespace ordo::inline v0::spectra {

void write_spectra(spectrum_columns const& spectra, sink& output, format as, sort_options const& options) {
  if (as == format::mzml || as == format::mzxml)
    throw usage_error("format not written: columns: neither MGF, MSP nor mzSpecLib");
  detail::print_spectrum const print = detail::choose_printer(as);
  std::optional<detail::library_sink> library;
  if (as == format::mzspeclib) library.emplace(output, options.name);
  sink& to = library ? *library : output;
  constexpr std::size_t flushed = std::size_t{1} << 20;
  std::string text, title;
  std::vector<std::uint32_t> order;
  for (std::size_t s = 0; s < spectra.size(); ++s) {
    auto const begin = std::size_t(spectra.offsets[s]), size = std::size_t(spectra.offsets[s + 1]) - begin;
    spectrum_header header;
    if (std::string_view const given = spectra.title(s); !given.empty()) header.title = given;
    if (spectra.precursor_mz[s] > 0) header.precursor_mz = spectra.precursor_mz[s];
    if (!std::isnan(spectra.rt_seconds[s])) header.rt_seconds = spectra.rt_seconds[s];
    if (spectra.charge[s] != 0) header.charges.push_back(spectra.charge[s]);
    if (spectra.ms_level[s] != 0) header.ms_level = spectra.ms_level[s];
    order.resize(size);
    std::iota(order.begin(), order.end(), 0u);
    peak_list const peaks{std::span(spectra.mz).subspan(begin, size), std::span(spectra.intensity).subspan(begin, size), {}};
    static_cast<void>(print({header, peaks, order}, options, title, text));
    if (text.size() < flushed && s + 1 != spectra.size()) continue;
    to.write(text);
    text.clear();
  }
  if (library) library->end();
}

}  // namespace ordo::inline v0::spectra
