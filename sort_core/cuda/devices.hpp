#pragma once
#include <string>
#include <vector>

#include "sort_core/machine.hpp"

namespace ordo::detail {
/// The GPUs the driver shows; empty without a driver. Never throws.
std::vector<gpu_info> list_gpus() noexcept;
/// Versions of nvcc, the runtime and the driver.
std::string cuda_versions();
}  // namespace ordo::detail
