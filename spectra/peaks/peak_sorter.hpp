#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

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

std::unique_ptr<peak_sorter> peak_sorter_on_host(machine_options const& options);
std::unique_ptr<peak_sorter> peak_sorter_on_cuda(machine_options const& options, unsigned gpu_index);

/// Selects peaks in arrays of the caller.
std::size_t select_on_host(cpu& machine, arrays_task const& task, selection const& rules);
std::size_t select_on_cuda(gpu& machine, arrays_task const& task, selection const& rules);

}  // namespace ordo::inline v0::spectra::detail
