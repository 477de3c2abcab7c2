#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/error.hpp"
#include "ordo/spectra/arrays.hpp"
#include "sort_core/algorithms/check_segments.hpp"
#include "sort_core/algorithms/functors.hpp"
#include "sort_core/algorithms/reduce_segments.hpp"
#include "spectra/peaks/select_peaks.hpp"

// Selects peaks in arrays of the caller, over a Backend.
namespace ordo::inline v0::spectra::detail {

/// The maximum number of peaks that are worked on at a time: candidates are counted with 32 bits.
inline constexpr std::uint64_t max_peaks = std::uint64_t{1} << 31;

/// Moves the kept items of [from, from + keep.size()) to `to`, which is not after `from`. @param count  number of kept items
template <class T, Backend B>
void move_kept(B& backend, void* column, std::size_t from, std::size_t to, std::span<std::uint8_t const> keep,
               std::size_t count) {
  T* const all = static_cast<T*>(column);
  T const* const here = all + from;
  auto const* const stays = keep.data();
  auto const staying = backend.template buffer<T>(count);
  backend.select(
      keep.size(), [=] ORDO_FN(std::size_t i) { return stays[i] != 0; }, [=] ORDO_FN(std::size_t i) { return here[i]; },
      staying.span());
  T const* const source = staying.data();
  T* const target = all + to;
  backend.each(count, [=] ORDO_FN(std::size_t i) { target[i] = source[i]; });
}

/// Returns 1 for a peak that is kept. Positions begin at `first`.
struct is_kept {
  std::uint8_t const* keep;
  std::size_t first;
  ORDO_FN std::uint64_t operator()(std::size_t, std::size_t i) const { return keep[i - first]; }
};

template <class Offset, Backend B>
std::size_t select_with_offsets(B& backend, arrays_task const& task, selection const& rules) {
  auto* const offset = static_cast<Offset*>(task.offsets);
  std::span<Offset const> const given(offset, task.spectra + 1);
  ordo::detail::check_bounds(backend, task.peaks, segments_from_offsets(given), sizeof(Offset) == 8 ? 8 : 0);
  auto const before = backend.template buffer<Offset>(task.spectra + 1);  // the offsets are set at the end
  auto const counts = backend.template buffer<std::uint64_t>(task.spectra);
  auto* const kept_offset = before.data();
  auto* const count = counts.data();
  backend.each(task.spectra + 1, [=] ORDO_FN(std::size_t s) { kept_offset[s] = offset[s]; });
  std::uint64_t const begin = value_at(backend, given, 0), end = value_at(backend, given, task.spectra);
  std::uint64_t written = begin;
  for (std::size_t first = 0; first < task.spectra;) {
    // Finds the number of spectra that can be worked on at a time by bisection.
    std::uint64_t const from = value_at(backend, before.span(), first);
    std::size_t last = task.spectra, too_many = task.spectra + 1;
    if (end - from >= max_peaks) {
      last = first;
      while (too_many - last > 1) {
        std::size_t const middle = last + (too_many - last) / 2;
        bool const fits = std::uint64_t(value_at(backend, before.span(), middle)) - from < max_peaks;
        (fits ? last : too_many) = middle;
      }
      if (last == first) throw usage_error("spectrum too large: selection: 2^31 peaks or more");
    }
    std::size_t const n = std::size_t(value_at(backend, before.span(), last) - from), spectra = last - first;
    auto const keep = backend.template buffer<std::uint8_t>(n);
    peak_arrays in;
    auto const column = [from](void* data, bool wide) {
      return real_column{static_cast<char*>(data) + from * (wide ? 8 : 4), wide};
    };
    in.mz = column(task.mz, task.wide_mz);
    in.intensity = column(task.intensity, task.wide_intensity);
    in.sums = static_cast<char*>(task.intensity) + from * (task.wide_intensity ? 8 : 4);
    in.offsets = kept_offset + first;
    in.wide_offsets = sizeof(Offset) == 8;
    in.first = from;
    in.spectra = spectra;
    in.precursor_mz.data = task.precursor.mz.empty() ? nullptr : task.precursor.mz.data() + first;
    in.charge = task.precursor.charge.empty() ? nullptr : task.precursor.charge.data() + first;
    select_peaks(backend, in, rules, keep.span());

    auto* const count_at = count + first;
    reduce_segments(backend, segments_from_offsets(std::span<Offset const>(kept_offset + first, spectra + 1)),
                    is_kept{keep.data(), from}, std::uint64_t{0}, plus{}, counts.span().subspan(first, spectra));
    if (std::size_t const min_peaks = rules.min_peaks; min_peaks > 1) {
      auto* const keep_at = keep.data();
      backend.each(spectra, [=] ORDO_FN(std::size_t s) {
        if (count_at[s] >= min_peaks) return;
        count_at[s] = 0;
        for (std::size_t i = in.begin(s), last = in.begin(s + 1); i < last; ++i) keep_at[i] = 0;
      });
    }
    std::size_t const num_kept = backend.reduce(
        spectra, [=] ORDO_FN(std::size_t s) { return count_at[s]; }, std::uint64_t{0},
        [=] ORDO_FN(std::uint64_t a, std::uint64_t b) { return a + b; });
    auto const move = [&](void* data, bool wide) {
      std::span<std::uint8_t const> const stays = keep.span();
      if (wide)
        move_kept<std::uint64_t>(backend, data, from, written, stays, num_kept);
      else
        move_kept<std::uint32_t>(backend, data, from, written, stays, num_kept);
    };
    move(task.mz, task.wide_mz);
    move(task.intensity, task.wide_intensity);
    written += num_kept;
    first = last;
  }
  backend.scan(
      task.spectra, [=] ORDO_FN(std::size_t s) { return count[s]; }, counts.span(),
      [=] ORDO_FN(std::uint64_t a, std::uint64_t b) { return a + b; });
  backend.each(task.spectra, [=] ORDO_FN(std::size_t s) { offset[s + 1] = Offset(begin + count[s]); });
  return std::size_t(written - begin);
}

template <Backend B>
std::size_t select_in_place(B& backend, arrays_task const& task, selection const& rules) {
  return task.wide_offsets ? select_with_offsets<std::uint64_t>(backend, task, rules)
                           : select_with_offsets<std::uint32_t>(backend, task, rules);
}

}  // namespace ordo::inline v0::spectra::detail
