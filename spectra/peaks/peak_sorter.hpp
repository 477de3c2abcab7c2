#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "ordo/machine.hpp"
#include "ordo/spectra/selection.hpp"

namespace ordo::spectra::detail {

/// Peaks of many spectra in the host's memory: spectrum s has [offsets[s], offsets[s + 1]), from offsets[0] = 0 on.
struct host_peaks {
  std::span<double const> mz, intensity;
  std::span<std::uint32_t const> offsets;
  std::span<double const> precursor_mz;   // of each spectrum, NaN where it is missing; if precursors are to be removed
  std::span<std::int32_t const> charges;  // and its charge, 0 where it is missing
};

/// Sorts peaks by their codes, and selects them, on one machine, which it keeps with its memory from block to block.
class peak_sorter {
 public:
  virtual ~peak_sorter() = default;
  /// Segment s is [offsets[s], offsets[s + 1]); offsets[0] = 0 and offsets.back() = codes.size() = order.size().
  /// order[offsets[s] + j] := the position in codes of the j-th smallest of segment s, equals in the order of position. What
  /// does not fit the machine at once is taken in parts. @throws out_of_memory if a single segment does not fit
  virtual void sort(std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets,
                    std::span<std::uint32_t> order) = 0;
  /// keep[i] := 1 if peak i stays, by all steps of a selection but min_peaks, else 0. What does not fit: as in sort.
  virtual void select(host_peaks const& peaks, selection const& how, std::span<std::uint8_t> keep) = 0;
  /// Bytes of the machine's memory in use at most since it was last asked.
  [[nodiscard]] virtual std::size_t peak_memory() = 0;
};

std::unique_ptr<peak_sorter> peak_sorter_on_host(machine_options const& how);
std::unique_ptr<peak_sorter> peak_sorter_on_cuda(machine_options const& how, unsigned gpu_index);

}  // namespace ordo::spectra::detail
