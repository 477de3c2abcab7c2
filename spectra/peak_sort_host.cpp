#include "sort_core/host/host.hpp"
#include "spectra/peak_sort.hpp"

namespace ordo::spectra::detail {

std::unique_ptr<peak_sorter> peak_sorter_on_host(unsigned threads) {
  return std::make_unique<peak_sorter_on<host>>(threads);
}

}  // namespace ordo::spectra::detail
