#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "ordo/detail/task.hpp"
#include "ordo/machine.hpp"
#include "ordo/radix_key.hpp"
#include "ordo/segments.hpp"
#include "ordo/sort.hpp"
#include "ordo/spectra/selection.hpp"

#pragma GCC visibility push(default)

/// Sorts and selects the peaks of many spectra in plain arrays, as NumPy and search engines have them: m/z and intensity,
/// floats or doubles, and offsets: spectrum s has the peaks [offsets[s], offsets[s + 1]). All arrays are memory of the machine
/// that is passed with them: device memory of an ordo::gpu, host memory of an ordo::cpu. Work is queued on the stream of the
/// gpu.
/// @throws out_of_memory, device_error
/// @throws usage_error  for an invalid selection, arrays of different lengths, and offsets that fall or leave the arrays:
/// before
///     anything is written, on any machine. Only sort_peaks on a gpu does not check offsets (check_segments does).
namespace ordo::inline v0::spectra {

/// The type of m/z and intensities: float or double, not const.
template <class Number>
concept peak_number = std::same_as<Number, float> || std::same_as<Number, double>;
/// The type of offsets: unsigned integers of 32 or 64 bits.
template <class Offset>
concept peak_offset =
    std::unsigned_integral<Offset> && !std::is_const_v<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8);

namespace detail {
/// @throws usage_error  if the two lengths differ
void check_lengths(std::size_t mz, std::size_t intensity);
}  // namespace detail

/// Sorts the peaks of each spectrum in place, stably. The order is that of sort.hpp, with -0.0 less than 0.0; but NaNs, such as
/// a missing intensity, come last in both directions, whatever their sign, in the order of the input. They become quiet NaNs
/// without payload. Waits for nothing, and takes the temporary memory of sort_segments.
/// @code
///   ordo::cpu cpu;
///   ordo::spectra::sort_peaks(cpu, std::span(mz), std::span(intensity), std::span<std::uint32_t const>(offsets));
/// @endcode
/// To permute more arrays alike, sort an index: ordo::sort_segments with const keys.
template <peak_number Mz, peak_number Intensity, peak_offset Offset>
void sort_peaks(machine& machine, std::span<Mz> mz, std::span<Intensity> intensity, std::span<Offset const> offsets,
                sort_key by = sort_key::mz, bool descending = false) {
  detail::check_lengths(mz.size(), intensity.size());
  auto const sort = [&](auto keys, auto values) {
    using operation = ordo::detail::sort_task::operation;
    auto task = descending ? ordo::detail::make_task<sort_order::descending>(operation::segments, keys, {})
                           : ordo::detail::make_task<sort_order::ascending>(operation::segments, keys, {});
    task.nan_last = true;
    ordo::detail::add_segments(task, segments_from_offsets(offsets));
    ordo::detail::add_values(task, values);
    machine.run(task);
  };
  if (by == sort_key::mz)
    sort(mz, intensity);
  else
    sort(intensity, mz);
}

/// The precursors of the spectra, if a selection needs them, in memory of the machine.
struct precursors {
  std::span<double const> mz;            // NaN: missing
  std::span<std::int32_t const> charge;  // 0: missing; empty: all are missing
};

namespace detail {

struct arrays_task {
  void *mz, *intensity, *offsets;
  bool wide_mz, wide_intensity, wide_offsets;  // 64 bits; else 32
  std::size_t peaks, spectra;
  precursors precursor;
};

std::size_t select_arrays(machine& machine, arrays_task const& task, selection const& rules);

}  // namespace detail

/// Moves the kept peaks to the front, in their order, and sets the offsets accordingly; the first one does not change. A
/// missing intensity is NaN. A spectrum with too few kept peaks becomes empty. selection::merge writes sums, rounded to the
/// type of the intensities. The arrays after the kept peaks are undefined. Spectra have less than 2^31 peaks each. Waits for
/// the machine. Temporary memory: 1 byte a peak, up to 25 for each that passes the thresholds, 56 a spectrum, a second copy of
/// one column of the kept peaks, and that of sort_segments for 64-bit keys and 32-bit values; of at most 2^31 peaks at a time.
/// @returns the number of kept peaks
template <peak_number Mz, peak_number Intensity, peak_offset Offset>
std::size_t select(machine& machine, std::span<Mz> mz, std::span<Intensity> intensity, std::span<Offset> offsets,
                   selection const& rules, precursors const& precursor = {}) {
  detail::check_lengths(mz.size(), intensity.size());
  return detail::select_arrays(machine,
                               {mz.data(), intensity.data(), offsets.data(), sizeof(Mz) == 8, sizeof(Intensity) == 8,
                                sizeof(Offset) == 8, mz.size(), offsets.empty() ? 0 : offsets.size() - 1, precursor},
                               rules);
}

/// Keeps the n greatest peaks of each spectrum: select() with selection::top alone. A NaN is less than every number.
/// @code
///   std::size_t const kept = ordo::spectra::top(gpu, device_mz, device_intensity, device_offsets, 150);
/// @endcode
template <peak_number Mz, peak_number Intensity, peak_offset Offset>
std::size_t top(machine& machine, std::span<Mz> mz, std::span<Intensity> intensity, std::span<Offset> offsets, std::size_t n) {
  selection rules;
  rules.top = n;
  return select(machine, mz, intensity, offsets, rules);
}

}  // namespace ordo::inline v0::spectra
#pragma GCC visibility pop
