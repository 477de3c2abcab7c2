#pragma once
#include <cstddef>

#include "sort_core/cpu.hpp"
#include "sort_core/gpu.hpp"
#include "spectra/arrays.hpp"

namespace ordo::spectra::detail {

std::size_t select_on_host(cpu& on, arrays_task const& task, selection const& how);
std::size_t select_on_cuda(gpu& on, arrays_task const& task, selection const& how);

}  // namespace ordo::spectra::detail
