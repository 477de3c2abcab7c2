#pragma once
#include <cstddef>

#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "ordo/spectra/arrays.hpp"

namespace ordo::spectra::detail {

std::size_t select_on_host(cpu& on, arrays_task const& task, selection const& how);
std::size_t select_on_cuda(gpu& on, arrays_task const& task, selection const& how);

}  // namespace ordo::spectra::detail
