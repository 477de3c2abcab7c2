#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/machine.hpp"
#include "sort_core/sort.hpp"
#include "spectra/selection.hpp"

/// Peaks of many spectra as plain arrays, as NumPy and search engines have them: m/z and intensity, floats or doubles, and
/// offsets: spectrum s has the peaks [offsets[s], offsets[s + 1]). All of it is memory of the machine that it is given with:
/// for an ordo::gpu the device's, for an ordo::cpu the host's; work is queued on the gpu's stream.
/// @throws out_of_memory, device_error; usage_error for what no selection is
namespace ordo::spectra {

/// Sorts the peaks of each spectrum where they lie, stably. Order is that of sort.hpp: a NaN, such as a missing intensity, is
/// greater than all others, and -0.0 less than 0.0. As sort_segments this waits for nothing and takes its memory.
/// @code
///   ordo::cpu cpu;
///   ordo::spectra::sort_peaks(cpu, std::span(mz), std::span(intensity), std::span<std::uint32_t const>(offsets));
/// @endcode
/// For more than one array beside the m/z, sort an index: ordo::sort_segments with const keys.
template <std::floating_point Mz, std::floating_point Intensity, std::unsigned_integral Offset>
void sort_peaks(machine& on, std::span<Mz> mz, std::span<Intensity> intensity, std::span<Offset const> offsets,
                sort_key by = sort_key::mz, bool descending = false) {
  auto const sort = [&](auto keys, auto values) {
    if (descending)
      sort_segments<order::descending>(on, keys, values, of_offsets(offsets));
    else
      sort_segments(on, keys, values, of_offsets(offsets));
  };
  if (by == sort_key::mz)
    sort(mz, intensity);
  else
    sort(intensity, mz);
}

/// Of each spectrum, where a selection asks for it: memory of the machine's, too.
struct precursors {
  std::span<double const> mz;            // NaN: missing
  std::span<std::int32_t const> charge;  // 0: missing; empty: all are
};

namespace detail {

struct arrays_task {
  void *mz, *intensity, *offsets;
  bool wide_mz, wide_intensity, wide_offsets;  // 64 bits, not 32
  std::size_t spectra;
  double const* precursor_mz;
  std::int32_t const* charge;
};

std::size_t select_arrays(machine& on, arrays_task const& task, selection const& how);

}  // namespace detail

/// Moves the peaks that stay to the front, in the order in which they were, and sets the offsets to what there is now; the
/// first one stays. A missing intensity is NaN. A spectrum that has too few peaks left is there without any. What is behind the
/// peaks that are left is undefined. Spectra have less than 2^31 peaks each. Waits for the machine. Temporary memory: 1 byte a
/// peak, up to 25 for each that passes the thresholds, 24 a spectrum, the peaks that stay once more in one column, and that of
/// sort_segments for 64-bit keys and 32-bit values; of 2^31 peaks at a time.
/// @returns how many peaks are left
template <std::floating_point Mz, std::floating_point Intensity, std::unsigned_integral Offset>
std::size_t select(machine& on, std::span<Mz> mz, std::span<Intensity> intensity, std::span<Offset> offsets,
                   selection const& how, precursors const& of = {}) {
  static_assert(sizeof(Mz) <= 8 && sizeof(Intensity) <= 8 && sizeof(Offset) >= 4);
  return detail::select_arrays(on,
                               {mz.data(), intensity.data(), offsets.data(), sizeof(Mz) == 8, sizeof(Intensity) == 8,
                                sizeof(Offset) == 8, offsets.empty() ? 0 : offsets.size() - 1,
                                of.mz.empty() ? nullptr : of.mz.data(), of.charge.empty() ? nullptr : of.charge.data()},
                               how);
}

/// The n greatest peaks of each spectrum: select() with nothing but selection::top.
/// @code
///   std::size_t const left = ordo::spectra::top(gpu, device_mz, device_intensity, device_offsets, 150);
/// @endcode
template <std::floating_point Mz, std::floating_point Intensity, std::unsigned_integral Offset>
std::size_t top(machine& on, std::span<Mz> mz, std::span<Intensity> intensity, std::span<Offset> offsets, std::size_t n) {
  selection how;
  how.top = n;
  return select(on, mz, intensity, offsets, how);
}

}  // namespace ordo::spectra
