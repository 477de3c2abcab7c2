#include "ordo/spectra/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ordo/spectra/import.hpp"
#include "ordo/spectra/mzml.hpp"
#include "spectra/pipeline/pipeline.hpp"

namespace ordo::inline v0::spectra {
namespace {

template <class Key>
void add_counts(std::map<Key, std::uint64_t>& to, std::map<Key, std::uint64_t> const& from) {
  for (auto const& [key, count] : from) to[key] += count;
}

// NaN comes last, as in sorting.
bool comes_before(double a, double b) {
  return a < b || (std::isnan(b) && !std::isnan(a));
}

std::uint64_t repeats(std::span<double const> in_order) {
  std::uint64_t count = 0;
  for (std::size_t i = 1; i < in_order.size(); ++i) count += in_order[i] == in_order[i - 1];
  return count;
}

void add_bins(std::vector<std::uint64_t>& to, std::vector<std::uint64_t> const& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) to[k] += from[k];
}

}  // namespace

void value_grid::add(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return;
  auto const at = [&](double value) {
    constexpr double max = 0x1p62;
    return std::int64_t(std::floor(std::clamp(value, -max, max))) >> level_;
  };
  ++cells_[{at(x), at(y)}];
  if (cells_.size() > max_cells) widen();
}

void value_grid::add(value_grid const& other) {
  while (level_ < other.level_) widen();
  unsigned const shift = level_ - other.level_;
  for (auto const& [at, count] : other.cells_) cells_[{at.first >> shift, at.second >> shift}] += count;
  while (cells_.size() > max_cells) widen();
}

void value_grid::widen() {
  ++level_;
  std::map<cell, std::uint64_t> wide;
  for (auto const& [at, count] : cells_) wide[{at.first >> 1, at.second >> 1}] += count;
  cells_ = std::move(wide);
}

void summary::add(spectrum const& spectrum, bool distributions) {
  ++spectra;
  peaks += spectrum.peaks.size();
  ++peak_counts[spectrum.peaks.size()];
  for (double const value : spectrum.peaks.mz) {
    mz.add(value);
    if (!distributions || std::isnan(value)) continue;
    std::size_t const bin = value <= 0 ? 0 : std::size_t(std::min(value, double(max_mz_bins - 1)));
    if (mz_bins.size() <= bin) mz_bins.resize(bin + 1);
    ++mz_bins[bin];
  }
  for (double const value : spectrum.peaks.intensity) {
    if (std::isnan(value)) {
      ++without_intensity;
    } else {
      intensity.add(value);
      zeros += value == 0;
      negative += value < 0;
      if (!distributions || !(value > 0)) continue;
      std::size_t const octave = std::size_t((std::isinf(value) ? 1023 : std::ilogb(value)) - first_octave);
      if (intensity_octaves.size() <= octave) intensity_octaves.resize(octave + 1);
      ++intensity_octaves[octave];
    }
  }
  if (std::ranges::is_sorted(spectrum.peaks.mz, comes_before)) {
    ++in_order;
    duplicates += repeats(spectrum.peaks.mz);
  } else {
    std::vector<double> sorted(spectrum.peaks.mz.begin(), spectrum.peaks.mz.end());
    std::ranges::sort(sorted, comes_before);
    duplicates += repeats(sorted);
  }
  spectrum_header const& header = spectrum.header;
  titles += header.title.has_value();
  scans += header.scan.has_value();
  if (header.precursor_mz) precursor_mz.add(*header.precursor_mz);
  if (header.rt_seconds) rt_seconds.add(*header.rt_seconds);
  if (distributions && header.precursor_mz && header.rt_seconds) precursors.add(*header.rt_seconds, *header.precursor_mz);
  ++charges[header.charges.empty() ? 0 : header.charges.front()];
  if (header.ms_level) ++ms_levels[*header.ms_level];
}

void summary::set_size(sort_report const& report) {
  bytes = report.bytes;
  lines = report.lines;
  warnings = report.warnings;
}

void summary::add(summary const& other) {
  bytes += other.bytes;
  lines += other.lines;
  spectra += other.spectra;
  peaks += other.peaks;
  warnings += other.warnings;
  in_order += other.in_order;
  zeros += other.zeros;
  without_intensity += other.without_intensity;
  duplicates += other.duplicates;
  titles += other.titles;
  scans += other.scans;
  add_counts(peak_counts, other.peak_counts);
  mz.add(other.mz);
  intensity.add(other.intensity);
  precursor_mz.add(other.precursor_mz);
  rt_seconds.add(other.rt_seconds);
  negative += other.negative;
  add_bins(mz_bins, other.mz_bins);
  add_bins(intensity_octaves, other.intensity_octaves);
  precursors.add(other.precursors);
  add_counts(charges, other.charges);
  add_counts(ms_levels, other.ms_levels);
}

std::uint64_t summary::peaks_at(double share) const {
  std::uint64_t before = 0;
  for (auto const& [peaks_of_one, count] : peak_counts) {
    before += count;
    if (double(before) > share * double(spectra - 1)) return peaks_of_one;
  }
  return 0;
}

summary summarize(source& input, sort_options const& options, format from) {
  detail::pipeline work(options, {.what = detail::purpose::summary, .from = from});
  work.run(input, nullptr);
  summary all = work.summarized();
  all.set_size(work.report());
  return all;
}

summary summarize(source& input, sort_options const& options) {
  return summarize(input, options, format::mgf);
}

summary summarize_mzml(source& input, sort_options const& options) {
  return summarize(input, options, format::mzml);
}

}  // namespace ordo::inline v0::spectra
