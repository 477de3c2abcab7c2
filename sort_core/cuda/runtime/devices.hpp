#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "ordo/machine.hpp"

namespace ordo::inline v0::cuda_detail {

/// Returns the GPUs that the driver shows; empty without a driver. Starts none of them. Never throws.
std::vector<gpu_info> list_gpus() noexcept;

/// The number that messages give to the first GPU that the driver shows: above 0 if a program hides those before it.
inline std::atomic<unsigned> first_gpu_number = 0;

struct gpu_state {
  std::string unusable;  // the reason why this build cannot run there; empty if it can
  std::size_t free_memory = 0;
};
/// Starts a GPU, if it is not running yet, and returns its state. The calling thread's current device is unchanged.
gpu_state state_of_gpu(unsigned index);

/// Makes a GPU the calling thread's current device during the object's lifetime; then restores the previous one. Starts no
/// other GPU. Cheap, and free if the GPU is current already. @throws device_error
class device_scope {
 public:
  explicit device_scope(unsigned index);
  ~device_scope();
  device_scope(device_scope const&) = delete;
  device_scope& operator=(device_scope const&) = delete;

 private:
  bool pushed_ = false;
};

/// Returns the seconds that the driver and the first GPU took to start; 0 if they were not started.
double seconds_to_start() noexcept;

/// Returns the versions of nvcc, the runtime and the driver.
std::string cuda_versions();

}  // namespace ordo::inline v0::cuda_detail
