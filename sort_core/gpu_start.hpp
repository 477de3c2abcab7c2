#pragma once
#include <cstdint>
#include <thread>

#include "sort_core/machine.hpp"

namespace ordo {

/// The same, but for ORDO_DEVICE where `given` leaves the machine open. @throws usage_error  if that names no device
machine_options asked_for(machine_options const& given);

/// Starts a GPU on a thread of its own while a command reads: the driver, the context and the process's own machine, which the
/// libraries then find ready (some 0.3 s of a short command). Which GPU, and whether any, is what choose() will look at first.
/// Whatever fails is left to choose() to find and to tell. Nothing is started in a build without CUDA.
class gpu_start {
 public:
  gpu_start() = default;
  /// @param input_bytes, worthwhile  as for choose()
  /// @throws usage_error  if ORDO_DEVICE names no device
  gpu_start(machine_options const& how, std::uint64_t input_bytes, std::size_t worthwhile);
  /// Waits.
  ~gpu_start();
  gpu_start(gpu_start const&) = delete;
  gpu_start& operator=(gpu_start const&) = delete;

 private:
  std::thread starting_;
};

}  // namespace ordo
