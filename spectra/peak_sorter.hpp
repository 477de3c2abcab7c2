#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "sort_core/machine.hpp"

namespace ordo::spectra::detail {

/// Sorts peaks by their codes on one machine, which it keeps with its memory from block to block.
class peak_sorter {
 public:
  virtual ~peak_sorter() = default;
  /// Segment s is [offsets[s], offsets[s + 1]); offsets[0] = 0 and offsets.back() = codes.size() = order.size().
  /// order[offsets[s] + j] := the position in codes of the j-th smallest of segment s, equals in the order of position. What
  /// does not fit the machine at once is taken in parts. @throws out_of_memory if a single segment does not fit
  virtual void sort(std::span<std::uint64_t const> codes, std::span<std::uint32_t const> offsets,
                    std::span<std::uint32_t> order) = 0;
  /// Bytes of the machine's memory in use at most since it was last asked.
  [[nodiscard]] virtual std::size_t peak_memory() = 0;
};

std::unique_ptr<peak_sorter> peak_sorter_on_host(machine_options const& how);
std::unique_ptr<peak_sorter> peak_sorter_on_cuda(machine_options const& how, unsigned gpu_index);

}  // namespace ordo::spectra::detail
