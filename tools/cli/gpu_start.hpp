#pragma once
#include <future>
#include <optional>
#include <string>

#include "sort_core/cuda/runtime/devices.hpp"
#include "tools/cli/options/options.hpp"

namespace ordo::inline v0::cli {

/// Starts the GPU that a command is told to use, on a thread of its own, while the command opens and reads its inputs. The driver
/// starts every GPU that it sees, one after the other, so the others are hidden from it first. A call that needs the GPU waits
/// until it has started.
class gpu_start {
 public:
  /// Hides the GPUs that the command does not use, unless the processes of a job share them, and starts the one that --device or
  /// ORDO_DEVICE requires. Every command calls it before it works, also if it needs no machine. GPUs whose number is not known to
  /// be right are looked for at once.
  /// @param common  counts GPUs as the driver sees them afterwards
  /// @throws usage_error  if a required GPU is missing
  gpu_start(common_options& common, bool in_job);

 private:
  std::future<cuda_detail::gpu_state> starting_;  // its destructor waits: a process cannot end while its driver starts
};

/// Returns the value of CUDA_VISIBLE_DEVICES that shows the driver only the GPUs `first` to `last`; nothing if it shows no such
/// GPUs now, or none at all because it refuses the list.
/// @param list  the value of now, null if it is not set: numbers or UUIDs. GPUs are counted in its order
/// @param present  the number of GPUs of the host
std::optional<std::string> visible_gpus(char const* list, unsigned present, unsigned first, unsigned last);

/// Returns the number of GPUs for which the driver has a folder here, 0 if there is none. Does not start the driver.
unsigned count_gpus(std::string const& folder = "/proc/driver/nvidia/gpus");

}  // namespace ordo::inline v0::cli
