#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "sort_core/scoped_machine.hpp"
#include "sort_core/sort_by_key.hpp"
#include "spectra/peaks/peak_sorter.hpp"
#include "spectra/peaks/select_peaks.hpp"

namespace ordo::spectra::detail {

/// The segments [first, last): see peak_sorter.
template <Backend B>
void sort_peaks(B& machine, std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets,
                std::span<std::uint32_t> order) {
  std::uint32_t const base = offsets.front();
  std::size_t const n = offsets.back() - base;
  auto const here = machine.upload(codes.subspan(base, n));
  auto const bounds = machine.upload(offsets);
  auto const relative = machine.template buffer<std::uint32_t>(offsets.size());
  auto const items = machine.target(order.subspan(base, n));
  auto const* const absolute = bounds.data();
  auto* const from_base = relative.data();
  auto* const item = items.data();
  auto const* const code = here.data();
  machine.each(offsets.size(), [=] ORDO_FN(std::size_t i) { from_base[i] = absolute[i] - base; });
  machine.each(n, [=] ORDO_FN(std::size_t i) { item[i] = std::uint32_t(i) + base; });
  sort_by_key(machine, items.span(), segments_from_offsets(std::span<std::uint32_t const>(relative.span())),
              [=] ORDO_FN(std::uint32_t i) { return code[i - base]; });
  machine.download(std::span<std::uint32_t const>(items.span()), order.subspan(base, n));
}

/// The spectra [first, first + offsets.size() - 1), whose offsets are given: see peak_sorter.
template <Backend B>
void select_host_peaks(B& machine, host_peaks const& peaks, std::size_t first, std::span<std::uint32_t const> offsets,
                       selection const& how, std::span<std::uint8_t> keep) {
  std::uint32_t const base = offsets.front();
  std::size_t const n = offsets.back() - base, spectra = offsets.size() - 1;
  auto const mz = machine.upload(peaks.mz.subspan(base, n));
  auto const intensity = machine.upload(peaks.intensity.subspan(base, n));
  auto const bounds = machine.upload(offsets);
  bool const precursors = how.remove_precursor.has_value();
  auto const precursor_mz =
      machine.upload(precursors ? peaks.precursor_mz.subspan(first, spectra) : peaks.precursor_mz.first(0));
  auto const charges = machine.upload(precursors ? peaks.charges.subspan(first, spectra) : peaks.charges.first(0));
  auto const flags = machine.target(keep.subspan(base, n));
  peak_arrays in;
  in.mz.data = mz.data();
  in.intensity.data = intensity.data();
  in.offsets = bounds.data();
  in.first = base;
  in.spectra = spectra;
  in.precursor_mz.data = precursor_mz.data();
  in.charge = charges.data();
  select_peaks(machine, in, how, flags.span());
  machine.download(std::span<std::uint8_t const>(flags.span()), keep.subspan(base, n));
}

/// On a Machine, cpu or gpu, which it keeps as long as it lives.
template <class Machine>
class peak_sorter_on final : public peak_sorter {
 public:
  peak_sorter_on(machine_options const& how, unsigned which) : machine_(how, which) {}

  void sort(std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets,
            std::span<std::uint32_t> order) override {
    in_parts(offsets, [&](auto& machine, std::size_t /*first*/, std::span<std::uint32_t const> part) {
      sort_peaks(machine, codes, part, order);
    });
  }

  void select(host_peaks const& peaks, selection const& how, std::span<std::uint8_t> keep) override {
    in_parts(peaks.offsets, [&](auto& machine, std::size_t first, std::span<std::uint32_t const> part) {
      select_host_peaks(machine, peaks, first, part, how, keep);
    });
  }

  std::size_t peak_memory() override { return machine_->peak_memory(); }

 private:
  /// work(backend, first, offsets) for some of the segments after the others, which all together are given by offsets.
  template <class Work>
  void in_parts(std::span<std::uint32_t const> offsets, Work work) {
    for (auto first = offsets.begin(); first + 1 < offsets.end();) {
      // As many segments as hold no more peaks than are known to fit, but one at least.
      auto const last = std::max(first + 1, std::upper_bound(first + 1, offsets.end(), *first + fit_) - 1);
      try {
        with_backend(*machine_, [&](auto& machine) {
          work(machine, std::size_t(first - offsets.begin()), std::span<std::uint32_t const>(first, last + 1));
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

}  // namespace ordo::spectra::detail
