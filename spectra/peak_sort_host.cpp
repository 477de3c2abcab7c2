#include "sort_core/cpu_backend.hpp"
#include "spectra/peak_sort.hpp"

namespace ordo::spectra::detail {

std::unique_ptr<peak_sorter> peak_sorter_on_host(machine_options const& how) {
  return std::make_unique<peak_sorter_on<cpu>>(how, how.threads);
}

}  // namespace ordo::spectra::detail
