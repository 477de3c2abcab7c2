#include "sort_core/gpu_start.hpp"

#include <system_error>

#include "sort_core/config.hpp"
#include "sort_core/cuda/devices.hpp"
#include "sort_core/error.hpp"
#include "sort_core/machine_lease.hpp"

namespace ordo {

gpu_start::gpu_start(machine_options const& given, std::uint64_t input_bytes, std::size_t worthwhile) {
  if (!cuda_enabled || given.on) return;
  machine_options const how = asked_for(given);
  if (how.where == device::cpu || (how.where == device::automatic && input_bytes < worthwhile)) return;
  try {
    starting_ = std::thread([index = how.gpu_index.value_or(0)] {
      try {
        if constexpr (cuda_enabled)
          if (cuda_detail::state_of_gpu(index).unusable.empty()) static_cast<void>(machine_lease<gpu>({}, index)->stream());
      } catch (error const&) {}
    });
  } catch (std::system_error const&) {  // no thread to be had: it starts when it is used
  }
}

gpu_start::~gpu_start() {
  if (starting_.joinable()) starting_.join();
}

}  // namespace ordo
