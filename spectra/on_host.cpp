#include "ordo/cpu_backend.hpp"
#include "spectra/peaks/peak_sort.hpp"
#include "spectra/peaks/select_arrays.hpp"

namespace ordo::inline v0::spectra::detail {

std::unique_ptr<peak_sorter> peak_sorter_on_host(machine_options const& options) {
  return std::make_unique<peak_sorter_on<cpu>>(options, options.threads);
}

std::size_t select_on_host(cpu& machine, arrays_task const& task, selection const& rules) {
  return with_backend(machine, [&](auto& backend) { return select_in_place(backend, task, rules); });
}

}  // namespace ordo::inline v0::spectra::detail
