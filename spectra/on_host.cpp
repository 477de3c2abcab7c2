#include "ordo/cpu_backend.hpp"
#include "spectra/peaks/peak_sort.hpp"
#include "spectra/peaks/select_arrays.hpp"
#include "spectra/peaks/select_on.hpp"

namespace ordo::spectra::detail {

std::unique_ptr<peak_sorter> peak_sorter_on_host(machine_options const& how) {
  return std::make_unique<peak_sorter_on<cpu>>(how, how.threads);
}

std::size_t select_on_host(cpu& on, arrays_task const& task, selection const& how) {
  return with_backend(on, [&](auto& machine) { return select_in_place(machine, task, how); });
}

}  // namespace ordo::spectra::detail
