#include "ordo/gpu.cuh"
#include "spectra/peaks/peak_sort.hpp"
#include "spectra/peaks/select_arrays.hpp"

namespace ordo::inline v0::spectra::detail {

std::unique_ptr<peak_sorter> peak_sorter_on_cuda(machine_options const& options, unsigned gpu_index) {
  return std::make_unique<peak_sorter_on<gpu>>(options, gpu_index);
}

std::size_t select_on_cuda(gpu& machine, arrays_task const& task, selection const& rules) {
  return with_backend(machine, [&](auto& backend) { return select_in_place(backend, task, rules); });
}

}  // namespace ordo::inline v0::spectra::detail
