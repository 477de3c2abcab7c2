#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "ordo/machine.hpp"
#include "ordo/spectra/arrays.hpp"
#include "ordo/spectra/selection.hpp"

namespace ordo::inline v0::spectra::detail {

/// The peaks of many spectra in host memory: spectrum s has [offsets[s], offsets[s + 1]); offsets[0] = 0.
struct host_peaks {
  std::span<double const> mz, intensity;
  std::span<std::uint32_t const> offsets;
  std::span<double const> precursor_mz;   // one a spectrum, NaN: missing; to remove precursors
  std::span<std::int32_t const> charges;  // one a spectrum, 0: missing
  std::span<double> sums;                 // the intensity of each peak after merging; empty without merging
};

/// A machine that sorts and selects the peaks of one chunk after the other, and keeps its memory between them.
class peak_sorter {
 public:
  virtual ~peak_sorter() = default;
  /// Sets order[offsets[s] + j] to the position of the j-th smallest code of segment s, which is [offsets[s], offsets[s + 1]);
  /// equal codes are in the order of position. offsets[0] = 0 and offsets.back() = codes.size() = order.size(). Segments that
  /// do not fit the machine together are sorted in parts. @throws out_of_memory  if a single segment does not fit
  virtual void sort(std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets,
                    std::span<std::uint32_t> order) = 0;
  /// Sets keep[i] to 1 if peak i is kept by all steps of a selection but min_peaks, else to 0; in parts, as sort().
  virtual void select(host_peaks const& peaks, selection const& rules, std::span<std::uint8_t> keep) = 0;
  /// Returns the maximum of memory in use since the last call, in bytes.
  [[nodiscard]] virtual std::size_t peak_memory() = 0;
};

/// Selects by the machine of `select(peaks, rules, keep)`, which merges peaks after the limits of intensity: for
/// selection::merge_first in two calls.
template <class Select>
void select_in_order(host_peaks const& peaks, selection const& rules, std::span<std::uint8_t> keep, Select select) {
  if (!rules.merge_first) return select(peaks, rules, keep);
  selection first, rest = rules;
  first.min_mz = std::exchange(rest.min_mz, std::nullopt);
  first.max_mz = std::exchange(rest.max_mz, std::nullopt);
  first.merge = std::exchange(rest.merge, std::nullopt);
  rest.merge_first = false;
  select(peaks, first, keep);
  if (rest.empty()) return;
  // A selection drops peaks without a number for their m/z.
  std::vector<double> mz(peaks.mz.begin(), peaks.mz.end());
  for (std::size_t i = 0; i < mz.size(); ++i)
    if (!keep[i]) mz[i] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const heights(peaks.sums.begin(), peaks.sums.end());
  select({mz, heights, peaks.offsets, peaks.precursor_mz, peaks.charges, {}}, rest, keep);
}

std::unique_ptr<peak_sorter> peak_sorter_on_host(machine_options const& options);
std::unique_ptr<peak_sorter> peak_sorter_on_cuda(machine_options const& options, unsigned gpu_index);

/// Selects peaks in arrays of the caller.
std::size_t select_on_host(cpu& machine, arrays_task const& task, selection const& rules);
std::size_t select_on_cuda(gpu& machine, arrays_task const& task, selection const& rules);

}  // namespace ordo::inline v0::spectra::detail
