#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "sort_core/algorithms/sort_by_key.hpp"
#include "sort_core/scoped_machine.hpp"
#include "spectra/peaks/peak_sorter.hpp"
#include "spectra/peaks/select_peaks.hpp"

namespace ordo::inline v0::spectra::detail {

/// Sorts some of the segments of peak_sorter::sort, whose offsets are given.
template <Backend B>
void sort_peaks(B& backend, std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets,
                std::span<std::uint32_t> order) {
  std::uint32_t const base = offsets.front();
  std::size_t const n = offsets.back() - base;
  auto const here = backend.upload(codes.subspan(base, n));
  auto const bounds = backend.upload(offsets);
  auto const relative = backend.template buffer<std::uint32_t>(offsets.size());
  auto const items = backend.target(order.subspan(base, n));
  auto const* const absolute = bounds.data();
  auto* const from_base = relative.data();
  auto* const item = items.data();
  auto const* const code = here.data();
  backend.each(offsets.size(), [=] ORDO_FN(std::size_t i) { from_base[i] = absolute[i] - base; });
  backend.each(n, [=] ORDO_FN(std::size_t i) { item[i] = std::uint32_t(i) + base; });
  sort_by_key(backend, items.span(), segments_from_offsets(std::span<std::uint32_t const>(relative.span())),
              [=] ORDO_FN(std::uint32_t i) { return code[i - base]; });
  backend.download(std::span<std::uint32_t const>(items.span()), order.subspan(base, n));
}

/// Selects peaks of the spectra from `first` on, whose offsets are given, for peak_sorter::select.
template <Backend B>
void select_host_peaks(B& backend, host_peaks const& peaks, std::size_t first, std::span<std::uint32_t const> offsets,
                       selection const& rules, std::span<std::uint8_t> keep) {
  std::uint32_t const base = offsets.front();
  std::size_t const n = offsets.back() - base, spectra = offsets.size() - 1;
  auto const mz = backend.upload(peaks.mz.subspan(base, n));
  auto const intensity = backend.upload(peaks.intensity.subspan(base, n));
  auto const bounds = backend.upload(offsets);
  bool const precursors = rules.remove_precursor.has_value();
  auto const precursor_mz =
      backend.upload(precursors ? peaks.precursor_mz.subspan(first, spectra) : peaks.precursor_mz.first(0));
  auto const charges = backend.upload(precursors ? peaks.charges.subspan(first, spectra) : peaks.charges.first(0));
  auto const flags = backend.target(keep.subspan(base, n));
  peak_arrays in;
  in.mz.data = mz.data();
  in.intensity.data = intensity.data();
  in.offsets = bounds.data();
  in.first = base;
  in.spectra = spectra;
  in.precursor_mz.data = precursor_mz.data();
  in.charge = charges.data();
  bool const merges = rules.merge.has_value();
  auto const sums = backend.target(peaks.sums.subspan(merges ? base : 0, merges ? n : 0));
  if (merges) {
    auto* const sum = sums.data();
    auto const* const height = intensity.data();
    backend.each(n, [=] ORDO_FN(std::size_t i) { sum[i] = height[i]; });
    in.intensity.data = in.sums = sum;
  }
  select_peaks(backend, in, rules, flags.span());
  backend.download(std::span<double const>(sums.span()), peaks.sums.subspan(merges ? base : 0, merges ? n : 0));
  backend.download(std::span<std::uint8_t const>(flags.span()), keep.subspan(base, n));
}

/// A peak sorter on a Machine, cpu or gpu.
template <class Machine>
class peak_sorter_on final : public peak_sorter {
 public:
  peak_sorter_on(machine_options const& options, unsigned which) : machine_(options, which) {}

  void sort(std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets,
            std::span<std::uint32_t> order) override {
    in_parts(offsets, [&](auto& backend, std::size_t /*first*/, std::span<std::uint32_t const> part) {
      sort_peaks(backend, codes, part, order);
    });
  }

  void select(host_peaks const& peaks, selection const& rules, std::span<std::uint8_t> keep) override {
    in_parts(peaks.offsets, [&](auto& backend, std::size_t first, std::span<std::uint32_t const> part) {
      select_host_peaks(backend, peaks, first, part, rules, keep);
    });
  }

  std::size_t peak_memory() override { return machine_->peak_memory(); }

 private:
  /// Calls work(backend, first, offsets) for all segments, some at a time.
  template <class Work>
  void in_parts(std::span<std::uint32_t const> offsets, Work work) {
    for (auto first = offsets.begin(); first + 1 < offsets.end();) {
      // At least one segment, and no more peaks than are known to fit.
      auto const last = std::max(first + 1, std::upper_bound(first + 1, offsets.end(), *first + fit_) - 1);
      try {
        with_backend(*machine_, [&](auto& backend) {
          work(backend, std::size_t(first - offsets.begin()), std::span<std::uint32_t const>(first, last + 1));
        });
        first = last;
      } catch (out_of_memory const&) {
        if (last == first + 1) throw;
        fit_ = (*last - *first) / 2;
      }
    }
  }

  scoped_machine<Machine> machine_;
  std::uint64_t fit_ = std::numeric_limits<std::uint32_t>::max();
};

}  // namespace ordo::inline v0::spectra::detail
