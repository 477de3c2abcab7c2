#include "sort_core/cuda/runtime/devices.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string_view>

#include <cuda.h>

#include "sort_core/cuda/runtime/error.cuh"

namespace ordo::inline v0::cuda_detail {

void throw_cuda(cudaError_t status, char const* call, char const* file, int line, std::size_t bytes) {
  static_cast<void>(cudaGetLastError());  // clears the error, so that the next call does not report it
  int device = -1;
  static_cast<void>(cudaGetDevice(&device));
  std::string_view name = file;
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  std::string text = "GPU " + std::to_string(device < 0 ? device : int(first_gpu_number) + device) + ": " + call;
  if (bytes != 0) text += " of " + std::to_string(bytes) + " bytes";
  text += std::string(": ") + cudaGetErrorString(status) + " (" + std::string(name) + ":" + std::to_string(line) + ")";
  if (status == cudaErrorMemoryAllocation) throw out_of_memory("out of memory: " + text, bytes);
  throw device_error(text);
}

namespace {

/// A kernel in place of all kernels of the build, which are compiled for the same GPUs.
__global__ void any_kernel() {}

std::atomic<double> start_seconds = 0;

/// Adds the time of a scope to start_seconds, if it is the first that starts the driver or a GPU.
class start_time {
 public:
  explicit start_time(bool is_first) : is_first_(is_first) {}
  ~start_time() {
    if (is_first_) start_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  start_time(start_time const&) = delete;
  start_time& operator=(start_time const&) = delete;

 private:
  bool is_first_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Returns the number of GPUs that the driver shows. The first call starts the driver.
int count_gpus() noexcept {
  static std::atomic<bool> started{false};
  start_time const time(!started.exchange(true));
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

}  // namespace

double seconds_to_start() noexcept {
  return start_seconds;
}

std::vector<gpu_info> list_gpus() noexcept try {
  int const count = count_gpus();
  std::vector<gpu_info> result;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) continue;
    result.push_back({unsigned(device), properties.name, properties.major, properties.minor, properties.totalGlobalMem,
                      properties.sharedMemPerBlockOptin});
  }
  static_cast<void>(cudaGetLastError());
  return result;
} catch (...) {
  return {};
}

namespace {

/// Functions that only the driver has: they make a device current without starting the one that was, as cudaSetDevice would.
struct driver {
  CUresult (*retain)(CUcontext*, CUdevice) = nullptr;
  CUresult (*push)(CUcontext) = nullptr;
  CUresult (*pop)(CUcontext*) = nullptr;

  driver() {
    load("cuDevicePrimaryCtxRetain", retain);
    load("cuCtxPushCurrent", push);
    load("cuCtxPopCurrent", pop);
  }
  static driver const& get() {
    static driver const driver;
    return driver;
  }

 private:
  template <class Function>
  static void load(char const* name, Function*& function) {
    void* entry_point = nullptr;
    cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
    ORDO_CUDA(cudaGetDriverEntryPointByVersion(name, &entry_point, 12040, cudaEnableDefault, &result));
#else
    ORDO_CUDA(cudaGetDriverEntryPoint(name, &entry_point, cudaEnableDefault, &result));
#endif
    if (result != cudaDriverEntryPointSuccess) throw device_error(std::string("GPU driver: it has no ") + name);
    function = reinterpret_cast<Function*>(entry_point);
  }
};

/// Returns a GPU's primary context, and starts the GPU if need be. The context stays until the process ends, as the runtime's
/// do.
CUcontext primary_context(unsigned index) {
  static std::mutex changing;
  static std::map<unsigned, CUcontext> started;
  std::lock_guard const lock(changing);
  CUcontext& context = started[index];
  if (!context)
    // The driver's results have the same numbers as the runtime's errors.
    check_cuda(cudaError_t(driver::get().retain(&context, CUdevice(index))), "cuDevicePrimaryCtxRetain", __FILE__, __LINE__);
  return context;
}

}  // namespace

device_scope::device_scope(unsigned index) {
  int now = -1;
  ORDO_CUDA(cudaGetDevice(&now));
  if (now == int(index)) return;
  check_cuda(cudaError_t(driver::get().push(primary_context(index))), "cuCtxPushCurrent", __FILE__, __LINE__);
  pushed_ = true;
}

device_scope::~device_scope() {
  CUcontext popped = nullptr;
  if (pushed_) static_cast<void>(driver::get().pop(&popped));
}

gpu_state state_of_gpu(unsigned index) {
  gpu_state state;
  static std::atomic<bool> started{false};
  static_cast<void>(count_gpus());
  start_time const time(!started.exchange(true));
  try {
    device_scope const on(index);
    std::size_t all = 0;
    cudaFuncAttributes kernel{};
    // Reports a GPU that another process uses exclusively, or that is too new or too old for this build.
    ORDO_CUDA(cudaMemGetInfo(&state.free_memory, &all));
    ORDO_CUDA(cudaFuncGetAttributes(&kernel, any_kernel));
  } catch (error const& e) {
    state.unusable = e.what();
  }
  return state;
}

std::string cuda_versions() {
  auto const dotted = [](int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); };
  int runtime = 0, driver = 0;
  std::string text = "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__);
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) text += ", runtime " + dotted(runtime);
  text += cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0 ? ", driver " + dotted(driver) : ", no driver";
  return text;
}

}  // namespace ordo::inline v0::cuda_detail
