#include "ordo/spectra/arrays.hpp"

#include <utility>

#include <fmt/format.h>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "spectra/peaks/peak_sorter.hpp"

namespace ordo::inline v0::spectra::detail {

void check_lengths(std::size_t mz, std::size_t intensity) {
  if (mz != intensity) throw usage_error(fmt::format("bad arrays: peaks: {} m/z values and {} intensities", mz, intensity));
}

std::size_t select_arrays(machine& machine, arrays_task const& task, selection const& rules) {
  rules.check();
  if (rules.merge_first) throw usage_error("bad selection: merging first: arrays are merged after the limits of intensity");
  if (rules.remove_precursor && task.precursor.mz.empty() && task.spectra != 0)
    throw usage_error("bad selection: precursor: it is to be removed, but was not given");
  for (auto const& [name, length] :
       {std::pair{"m/z values", task.precursor.mz.size()}, {"charges", task.precursor.charge.size()}})
    if (length != 0 && length != task.spectra)
      throw usage_error(fmt::format("bad precursors: selection: {} {} for {} spectra", length, name, task.spectra));
  if (task.spectra == 0) return 0;
  if constexpr (cuda_enabled) {
    if (machine.kind() == device::gpu) return select_on_cuda(static_cast<gpu&>(machine), task, rules);
  } else if (machine.kind() == device::gpu) {
    throw usage_error("no GPU support: this build was compiled without CUDA");
  }
  return select_on_host(static_cast<cpu&>(machine), task, rules);
}

}  // namespace ordo::inline v0::spectra::detail
