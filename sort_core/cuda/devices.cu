#include "sort_core/cuda/devices.hpp"

#include <string_view>

#include "sort_core/cuda/error.cuh"

namespace ordo::detail {

void throw_cuda(cudaError_t status, char const* call, char const* file, int line, std::size_t bytes) {
  static_cast<void>(cudaGetLastError());  // leave no error behind for the next call to trip over
  int device = -1;
  static_cast<void>(cudaGetDevice(&device));
  std::string_view name = file;
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  std::string text = "GPU " + std::to_string(device) + ": " + call;
  if (bytes != 0) text += " of " + std::to_string(bytes) + " bytes";
  text += std::string(": ") + cudaGetErrorString(status) + " (" + std::string(name) + ":" + std::to_string(line) + ")";
  if (status == cudaErrorMemoryAllocation) throw out_of_memory("out of memory: " + text, bytes);
  throw device_error(text);
}

std::vector<gpu_info> list_gpus() noexcept try {
  int count = 0;
  std::vector<gpu_info> found;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    gpu_info gpu;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) continue;
    if (cudaSetDevice(device) != cudaSuccess || cudaMemGetInfo(&gpu.free_memory, &gpu.memory) != cudaSuccess) continue;
    gpu.name = properties.name;
    gpu.major = properties.major;
    gpu.minor = properties.minor;
    found.push_back(gpu);
  }
  if (count > 0) static_cast<void>(cudaSetDevice(0));
  static_cast<void>(cudaGetLastError());
  return found;
} catch (...) {
  return {};
}

std::string cuda_versions() {
  auto const dotted = [](int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); };
  int runtime = 0, driver = 0;
  std::string text = "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__);
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) text += ", runtime " + dotted(runtime);
  text += cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0 ? ", driver " + dotted(driver) : ", no driver";
  return text;
}

}  // namespace ordo::detail
