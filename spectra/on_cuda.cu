#include "ordo/gpu.cuh"
#include "spectra/peaks/peak_sort.hpp"
#include "spectra/peaks/select_arrays.hpp"
#include "spectra/peaks/select_on.hpp"

namespace ordo::spectra::detail {

std::unique_ptr<peak_sorter> peak_sorter_on_cuda(machine_options const& how, unsigned gpu_index) {
  return std::make_unique<peak_sorter_on<gpu>>(how, gpu_index);
}

std::size_t select_on_cuda(gpu& on, arrays_task const& task, selection const& how) {
  return with_backend(on, [&](auto& machine) { return select_in_place(machine, task, how); });
}

}  // namespace ordo::spectra::detail
