#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ordo/machine.hpp"
#include "ordo/sort.hpp"
#include "ordo/spectra/selection.hpp"

/// Peaks of many spectra as plain arrays, as NumPy and search engines have them: m/z and intensity, floats or doubles, and
/// offsets: spectrum s has the peaks [offsets[s], offsets[s + 1]). All of it is memory of the machine that it is given with:
/// for an ordo::gpu the device's, for an ordo::cpu the host's; work is queued on the gpu's stream.
/// @throws out_of_memory, device_error; usage_error for what no selection is, for arrays of different lengths, and for offsets
///     that fall or leave the arrays: before anything is written, on any machine, but that sort_peaks on a gpu does not look at
///     offsets (check_segments does)
namespace ordo::spectra {

/// m/z and intensities are floats or doubles, which sorts write.
template <class Number>
concept peak_number = std::same_as<Number, float> || std::same_as<Number, double>;
/// Offsets are of 32 or 64 bits.
template <class Offset>
concept peak_offset =
    std::unsigned_integral<Offset> && !std::is_const_v<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8);

namespace detail {
/// @throws usage_error  the lengths of both arrays of peaks differ
void check_lengths(std::size_t mz, std::size_t intensity);
}  // namespace detail

/// Sorts the peaks of each spectrum where they lie, stably. Order is that of sort.hpp, -0.0 less than 0.0, but for NaNs, such
/// as a missing intensity: they come last, ascending and descending, whatever their sign, in the order in which they were. They
/// are quiet NaNs afterwards, without the payload that they had. As sort_segments this waits for nothing and takes its memory.
/// @code
///   ordo::cpu cpu;
///   ordo::spectra::sort_peaks(cpu, std::span(mz), std::span(intensity), std::span<std::uint32_t const>(offsets));
/// @endcode
/// For more than one array beside the m/z, sort an index: ordo::sort_segments with const keys.
template <peak_number Mz, peak_number Intensity, peak_offset Offset>
void sort_peaks(machine& on, std::span<Mz> mz, std::span<Intensity> intensity, std::span<Offset const> offsets,
                sort_key by = sort_key::mz, bool descending = false) {
  detail::check_lengths(mz.size(), intensity.size());
  auto const sort = [&](auto keys, auto values) {
    using operation = ordo::detail::sort_task::operation;
    auto task = descending ? ordo::detail::task_of<sort_order::descending>(operation::segments, keys, {})
                           : ordo::detail::task_of<sort_order::ascending>(operation::segments, keys, {});
    task.nan_last = true;
    ordo::detail::add_segments(task, segments_from_offsets(offsets));
    ordo::detail::add_values(task, values);
    on.run(task);
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
  std::size_t peaks, spectra;
  precursors of;
};

std::size_t select_arrays(machine& on, arrays_task const& task, selection const& how);

}  // namespace detail

/// Moves the peaks that stay to the front, in the order in which they were, and sets the offsets to what there is now; the
/// first one stays. A missing intensity is NaN. A spectrum that has too few peaks left is there without any. What is behind the
/// peaks that are left is undefined. Spectra have less than 2^31 peaks each. Waits for the machine. Temporary memory: 1 byte a
/// peak, up to 25 for each that passes the thresholds, 24 a spectrum, the peaks that stay once more in one column, and that of
/// sort_segments for 64-bit keys and 32-bit values; of 2^31 peaks at a time.
/// @returns how many peaks are left
template <peak_number Mz, peak_number Intensity, peak_offset Offset>
std::size_t select(machine& on, std::span<Mz> mz, std::span<Intensity> intensity, std::span<Offset> offsets,
                   selection const& how, precursors const& of = {}) {
  detail::check_lengths(mz.size(), intensity.size());
  return detail::select_arrays(on,
                               {mz.data(), intensity.data(), offsets.data(), sizeof(Mz) == 8, sizeof(Intensity) == 8,
                                sizeof(Offset) == 8, mz.size(), offsets.empty() ? 0 : offsets.size() - 1, of},
                               how);
}

/// The n greatest peaks of each spectrum: select() with nothing but selection::top. A NaN is less than every number.
/// @code
///   std::size_t const left = ordo::spectra::top(gpu, device_mz, device_intensity, device_offsets, 150);
/// @endcode
template <peak_number Mz, peak_number Intensity, peak_offset Offset>
std::size_t top(machine& on, std::span<Mz> mz, std::span<Intensity> intensity, std::span<Offset> offsets, std::size_t n) {
  selection how;
  how.top = n;
  return select(on, mz, intensity, offsets, how);
}

}  // namespace ordo::spectra
