#include "ordo/spectra/import.hpp"

#include <limits>

#include "spectra/pipeline/pipeline.hpp"

namespace ordo::inline v0::spectra {
namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T> const& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Appends offsets that count from the last one of `to`.
void append_offsets(std::vector<std::uint64_t>& to, std::vector<std::uint64_t> const& from) {
  std::uint64_t const before = to.back();
  for (std::size_t i = 1; i < from.size(); ++i) to.push_back(before + from[i]);
}

/// Passes on the spectra of chunks.
class column_receiver final : public detail::chunk_receiver {
 public:
  explicit column_receiver(std::function<void(spectrum_columns const&)> const& on_spectra) : on_spectra_(on_spectra) {}
  void take(detail::chunk const& chunk) override { on_spectra_(chunk.columns); }

 private:
  std::function<void(spectrum_columns const&)> const& on_spectra_;
};
void append(string_column& to, string_column const& from) {
  to.text += from.text;
  append_offsets(to.offsets, from.offsets);
}

}  // namespace

void read_spectra(source& input, sort_options const& options, format from,
                  std::function<void(spectrum_columns const&)> const& on_spectra) {
  column_receiver receiver(on_spectra);
  detail::pipeline work(options, {.goal = detail::purpose::read, .from = from, .receiver = &receiver});
  work.run(input, nullptr);
}

spectrum_columns read_spectra(source& input, sort_options const& options, format from) {
  detail::pipeline work(options, {.goal = detail::purpose::read, .from = from});
  work.run(input, nullptr);
  return work.release_columns();
}

void spectrum_columns::add(spectrum const& spectrum) {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  mz.insert(mz.end(), spectrum.peaks.mz.begin(), spectrum.peaks.mz.end());
  intensity.insert(intensity.end(), spectrum.peaks.intensity.begin(), spectrum.peaks.intensity.end());
  offsets.push_back(mz.size());
  precursor_mz.push_back(spectrum.header.precursor_mz.value_or(missing));
  rt_seconds.push_back(spectrum.header.rt_seconds.value_or(missing));
  charge.push_back(spectrum.header.charges.empty() ? 0 : spectrum.header.charges.front());
  ms_level.push_back(spectrum.header.ms_level.value_or(0));
  ion_mobility.push_back(spectrum.header.ion_mobility.value_or(missing));
  constexpr auto greatest = std::uint64_t(std::numeric_limits<std::int64_t>::max());
  scan.push_back(spectrum.header.scan && *spectrum.header.scan <= greatest ? std::int64_t(*spectrum.header.scan) : -1);
  polarity.push_back(!spectrum.header.polarity ? 0 : *spectrum.header.polarity == ion_polarity::positive ? 1 : -1);
  titles.push_back(spectrum.header.title.value_or(""));
  native_ids.push_back(spectrum.header.native_id.value_or(""));
  sequences.push_back(spectrum.header.sequence.value_or(""));
}

void spectrum_columns::add(spectrum_columns const& other) {
  append(mz, other.mz);
  append(intensity, other.intensity);
  append_offsets(offsets, other.offsets);
  append(precursor_mz, other.precursor_mz);
  append(rt_seconds, other.rt_seconds);
  append(charge, other.charge);
  append(ms_level, other.ms_level);
  append(ion_mobility, other.ion_mobility);
  append(scan, other.scan);
  append(polarity, other.polarity);
  append(titles, other.titles);
  append(native_ids, other.native_ids);
  append(sequences, other.sequences);
}

void spectrum_columns::add_values(spectrum_columns const& other, std::size_t s) {
  precursor_mz.push_back(other.precursor_mz[s]);
  rt_seconds.push_back(other.rt_seconds[s]);
  charge.push_back(other.charge[s]);
  ms_level.push_back(other.ms_level[s]);
  ion_mobility.push_back(other.ion_mobility[s]);
  scan.push_back(other.scan[s]);
  polarity.push_back(other.polarity[s]);
  titles.push_back(other.titles[s]);
  native_ids.push_back(other.native_ids[s]);
  sequences.push_back(other.sequences[s]);
}

spectrum_columns read_spectra(source& input, sort_options const& options) {
  return read_spectra(input, options, format::mgf);
}

spectrum_columns read_mzml_spectra(source& input, sort_options const& options) {
  return read_spectra(input, options, format::mzml);
}

}  // namespace ordo::inline v0::spectra
