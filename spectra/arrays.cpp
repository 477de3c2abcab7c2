#include "spectra/arrays.hpp"

#include "sort_core/config.hpp"
#include "sort_core/error.hpp"
#include "spectra/select_on.hpp"

namespace ordo::spectra::detail {

std::size_t select_arrays(machine& on, arrays_task const& task, selection const& how) {
  how.check();
  if (how.remove_precursor && !task.precursor_mz && task.spectra != 0)
    throw usage_error("bad selection: precursor: it is to be removed, but was not given");
  if (task.spectra == 0) return 0;
  if constexpr (cuda_enabled) {
    if (on.kind() == device::gpu) return select_on_cuda(static_cast<gpu&>(on), task, how);
  }
  return select_on_host(static_cast<cpu&>(on), task, how);
}

}  // namespace ordo::spectra::detail
