#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/arrays.hpp"
#include "sort_core/check_segments.hpp"
#include "spectra/peaks/select_peaks.hpp"

// A selection of peaks in arrays of the caller's, over a Backend.
namespace ordo::spectra::detail {

/// Peaks that are worked on at a time: candidates are counted with 32 bits.
inline constexpr std::uint64_t most_peaks_at_a_time = std::uint64_t{1} << 31;

/// Moves the items [from, from + keep.size()) that stay to `to`, which is not behind. @param left  how many that are
template <class T, Backend B>
void move_left(B& machine, void* column, std::size_t from, std::size_t to, std::span<std::uint8_t const> keep,
               std::size_t left) {
  T* const all = static_cast<T*>(column);
  T const* const here = all + from;
  auto const* const stays = keep.data();
  auto const staying = machine.template buffer<T>(left);
  machine.select(
      keep.size(), [=] ORDO_FN(std::size_t i) { return stays[i] != 0; }, [=] ORDO_FN(std::size_t i) { return here[i]; },
      staying.span());
  T const* const source = staying.data();
  T* const target = all + to;
  machine.each(left, [=] ORDO_FN(std::size_t i) { target[i] = source[i]; });
}

/// How many peaks of spectrum s stay; none, where they are fewer than `least`.
ORDO_FN inline std::uint64_t count_left(peak_arrays const& in, std::size_t s, std::uint8_t* keep, std::size_t least) {
  std::size_t const begin = in.begin(s), end = in.begin(s + 1);
  std::uint64_t count = 0;
  for (std::size_t i = begin; i < end; ++i) count += keep[i];
  if (count >= least) return count;
  for (std::size_t i = begin; i < end; ++i) keep[i] = 0;
  return 0;
}

template <class Offset, Backend B>
std::size_t select_with_offsets(B& machine, arrays_task const& task, selection const& how) {
  auto* const offset = static_cast<Offset*>(task.offsets);
  std::span<Offset const> const given(offset, task.spectra + 1);
  ordo::detail::check_bounds(machine, task.peaks, segments_from_offsets(given));
  auto const before = machine.template buffer<Offset>(task.spectra + 1);  // what they are now; they are set at the end
  auto const counts = machine.template buffer<std::uint64_t>(task.spectra);
  auto* const kept_offset = before.data();
  auto* const count = counts.data();
  machine.each(task.spectra + 1, [=] ORDO_FN(std::size_t s) { kept_offset[s] = offset[s]; });
  std::uint64_t const begin = value_at(machine, given, 0), end = value_at(machine, given, task.spectra);
  std::uint64_t written = begin;
  for (std::size_t first = 0; first < task.spectra;) {
    // As many spectra as can be worked on at a time, found by bisection.
    std::uint64_t const from = value_at(machine, before.span(), first);
    std::size_t last = task.spectra, too_many = task.spectra + 1;
    if (end - from >= most_peaks_at_a_time) {
      last = first;
      while (too_many - last > 1) {
        std::size_t const middle = last + (too_many - last) / 2;
        bool const fits = std::uint64_t(value_at(machine, before.span(), middle)) - from < most_peaks_at_a_time;
        (fits ? last : too_many) = middle;
      }
      if (last == first) throw usage_error("spectrum too large: selection: 2^31 peaks or more");
    }
    std::size_t const n = std::size_t(value_at(machine, before.span(), last) - from), spectra = last - first;
    auto const keep = machine.template buffer<std::uint8_t>(n);
    peak_arrays in;
    auto const column = [from](void* data, bool wide) {
      return real_column{static_cast<char*>(data) + from * (wide ? 8 : 4), wide};
    };
    in.mz = column(task.mz, task.wide_mz);
    in.intensity = column(task.intensity, task.wide_intensity);
    in.offsets = kept_offset + first;
    in.wide_offsets = sizeof(Offset) == 8;
    in.first = from;
    in.spectra = spectra;
    in.precursor_mz.data = task.of.mz.empty() ? nullptr : task.of.mz.data() + first;
    in.charge = task.of.charge.empty() ? nullptr : task.of.charge.data() + first;
    select_peaks(machine, in, how, keep.span());

    auto* const keep_at = keep.data();
    auto* const count_at = count + first;
    std::size_t const least = how.min_peaks;
    machine.each(spectra, [=] ORDO_FN(std::size_t s) { count_at[s] = count_left(in, s, keep_at, least); });
    std::size_t const left = machine.reduce(
        spectra, [=] ORDO_FN(std::size_t s) { return count_at[s]; }, std::uint64_t{0},
        [=] ORDO_FN(std::uint64_t a, std::uint64_t b) { return a + b; });
    auto const move = [&](void* data, bool wide) {
      std::span<std::uint8_t const> const stays = keep.span();
      if (wide)
        move_left<std::uint64_t>(machine, data, from, written, stays, left);
      else
        move_left<std::uint32_t>(machine, data, from, written, stays, left);
    };
    move(task.mz, task.wide_mz);
    move(task.intensity, task.wide_intensity);
    written += left;
    first = last;
  }
  machine.scan(
      task.spectra, [=] ORDO_FN(std::size_t s) { return count[s]; }, counts.span(),
      [=] ORDO_FN(std::uint64_t a, std::uint64_t b) { return a + b; });
  machine.each(task.spectra, [=] ORDO_FN(std::size_t s) { offset[s + 1] = Offset(begin + count[s]); });
  return std::size_t(written - begin);
}

template <Backend B>
std::size_t select_in_place(B& machine, arrays_task const& task, selection const& how) {
  return task.wide_offsets ? select_with_offsets<std::uint64_t>(machine, task, how)
                           : select_with_offsets<std::uint32_t>(machine, task, how);
}

}  // namespace ordo::spectra::detail
