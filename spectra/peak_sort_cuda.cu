#include "sort_core/gpu.cuh"
#include "spectra/peak_sort.hpp"

namespace ordo::spectra::detail {

std::unique_ptr<peak_sorter> peak_sorter_on_cuda(machine_options const& how, unsigned gpu_index) {
  return std::make_unique<peak_sorter_on<gpu>>(how, gpu_index);
}

}  // namespace ordo::spectra::detail
