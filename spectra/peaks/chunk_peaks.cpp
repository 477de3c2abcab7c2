#include "spectra/peaks/chunk_peaks.hpp"

#include <algorithm>
#include <limits>

#include "spectra/peaks/peak_machines.hpp"

namespace ordo::inline v0::spectra::detail {

void chunk_peaks::clear() {
  mz = intensity = {};
  first.clear();
  headers.clear();
  fixed.clear();
  left_out.clear();
  whole.clear();
  codes.clear();
  bounds.assign(1, 0);
  kept.clear();
  changes.clear();
  sums.clear();
  disordered_.clear();
}

double chunk_peaks::select(sort_options const& options, peak_machines& machines, chunk_counts& counts) {
  double waited = 0;
  if (options.select.empty()) {
    keep.assign(mz.size(), 1);
  } else {
    keep.resize(mz.size());
    if (options.select.remove_precursor) find_precursors(options.select.all_charges, counts);
    if (options.select.merge) sums.resize(mz.size());
    select_in_order({mz, intensity, first, precursor_mz_, charges_, sums}, options.select, keep,
                    [&](host_peaks const& all, selection const& rules, std::span<std::uint8_t> to) {
                      waited += machines.select(all, rules, to, 1);
                    });
    for (std::size_t s = 0; s < whole.size(); ++s) {
      if (!whole[s]) continue;
      std::fill(keep.begin() + first[s], keep.begin() + first[s + 1], std::uint8_t{1});
      if (!sums.empty()) std::copy(intensity.begin() + first[s], intensity.begin() + first[s + 1], sums.begin() + first[s]);
    }
  }
  find_kept(options, counts);
  return waited;
}

void chunk_peaks::find_precursors(bool all_charges, chunk_counts& counts) {
  precursor_mz_.clear();
  charges_.clear();
  for (spectrum_header const* const header : headers) {
    bool const may_have = header->may_have_precursor();
    precursor_mz_.push_back(
        (may_have ? header->precursor_mz : std::nullopt).value_or(std::numeric_limits<double>::quiet_NaN()));
    charges_.push_back(header->charges.empty() ? 0 : header->charges.front());
    bool const counts_here = !is_left_out(precursor_mz_.size() - 1) && !keeps_all(precursor_mz_.size() - 1);
    counts.missing_precursor += counts_here && may_have && (!header->precursor_mz || (all_charges && header->charges.empty()));
  }
}

// Finds the kept peaks in the order of the input, and makes codes where that is not the order of the output.
void chunk_peaks::find_kept(sort_options const& options, chunk_counts& counts) {
  std::size_t const spectra = first.size() - 1;
  std::span<double const> const keys = options.by == sort_key::mz ? mz : intensities();
  peak_code const code(options.descending);
  kept.resize(mz.size() + 1);
  first_kept.assign(1, 0);
  changes.assign(spectra, change::none);
  for (std::size_t s = 0; s < spectra; ++s) {
    std::size_t const begin = first_kept.back();
    std::size_t end = begin;
    for (std::uint32_t i = first[s]; i < first[s + 1]; ++i) {
      kept[end] = i;  // a peak that is not kept is overwritten
      end += keep[i];
    }
    if (is_left_out(s) || (end - begin < options.select.min_peaks && !keeps_all(s))) {
      changes[s] = change::dropped;
      end = begin;
    }
    std::uint64_t last = 0;
    bool in_order = true;
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t const now = code(keys[kept[i]]);
      in_order &= now >= last;
      last = now;
    }
    if (!fixed.empty() && fixed[s]) {
      counts.fixed_order += !in_order || (begin != end && last == peak_code::missing);
    } else if (!in_order) {
      changes[s] = change::reordered;
      disordered_.push_back(s);
      for (std::size_t i = begin; i < end; ++i) codes.push_back(code(keys[kept[i]]));
      end_disordered();
    }
    first_kept.push_back(end);
    counts.spectra_kept += changes[s] != change::dropped;
  }
  counts.peaks_kept += first_kept.back();
  counts.reordered += disordered_.size();
}

void chunk_peaks::round_sums(std::size_t spectrum) {
  constexpr double max = std::numeric_limits<float>::max();
  for (std::size_t i = first[spectrum]; i < first[spectrum + 1]; ++i)
    if (is_sum(i)) sums[i] = double(float(std::clamp(sums[i], -max, max)));
}

double chunk_peaks::sort(peak_machines& machines, double share) {
  order.resize(codes.size());
  double const waited = machines.sort(codes, bounds, order, share);
  for (std::size_t d = 0; d < disordered_.size(); ++d) {
    std::size_t const begin = first_kept[disordered_[d]];
    auto const sorted = std::span(order).subspan(bounds[d], bounds[d + 1] - bounds[d]);
    for (std::uint32_t& position : sorted) position = kept[begin + (position - bounds[d])];
    std::ranges::copy(sorted, kept.begin() + std::ptrdiff_t(begin));
  }
  return waited;
}

}  // namespace ordo::inline v0::spectra::detail
