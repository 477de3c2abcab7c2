#pragma once
#include <string>
#include <vector>

#include "ordo/machine.hpp"

namespace ordo::cuda_detail {

/// The GPUs the driver shows; empty without a driver. Starts none of them. Never throws.
std::vector<gpu_info> list_gpus() noexcept;

struct gpu_state {
  std::string unusable;  // why this build does not run there; empty: it does
  std::size_t free_memory = 0;
};
/// Starts that GPU, if it is not running yet. Leaves the calling thread's device as it was.
gpu_state state_of_gpu(unsigned index);

/// While it lives, the GPU of that index is the calling thread's current device; afterwards the one that was before. No
/// other GPU is started by it. Cheap, and nothing at all where that GPU is current anyway. @throws device_error
class device_scope {
 public:
  explicit device_scope(unsigned index);
  ~device_scope();
  device_scope(device_scope const&) = delete;
  device_scope& operator=(device_scope const&) = delete;

 private:
  bool pushed_ = false;
};

/// Versions of nvcc, the runtime and the driver.
std::string cuda_versions();

}  // namespace ordo::cuda_detail
