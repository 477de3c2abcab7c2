#include "sort_core/cuda/cuda.cuh"
#include "spectra/peak_sort.hpp"

namespace ordo::spectra::detail {

std::unique_ptr<peak_sorter> peak_sorter_on_cuda() {
  return std::make_unique<peak_sorter_on<cuda>>();
}

}  // namespace ordo::spectra::detail
