#include "ordo/machine.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "base/parse_bytes.hpp"
#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/memory.hpp"
#include "sort_core/cuda/runtime/devices.hpp"
#include "sort_core/device_environment.hpp"

namespace ordo::inline v0 {

machine_options parse_device(std::string_view name) {
  machine_options options;
  if (name == "auto") return options;
  options.device = device::cpu;
  if (name == "cpu") return options;
  options.device = device::gpu;
  if (name == "gpu") return options;
  constexpr std::string_view numbered = "gpu:";
  if (name.starts_with(numbered)) {
    unsigned index = 0;
    char const *const first = name.data() + numbered.size(), *const last = name.data() + name.size();
    if (auto const [end, error] = std::from_chars(first, last, index); error == std::errc{} && end == last) {
      options.gpu_index = index;
      return options;
    }
  }
  throw usage_error(fmt::format("unknown device: {}: expected auto, cpu, gpu, gpu:0, gpu:1 ...", name));
}

std::string_view to_string(device which) {
  switch (which) {
    case device::cpu:
      return "cpu";
    case device::gpu:
      return "gpu";
    default:
      return "auto";
  }
}

std::vector<gpu_info> gpus() {
  std::vector<gpu_info> result;
  if constexpr (cuda_enabled) result = cuda_detail::list_gpus();
  if (auto const limit = gpu_memory_limit())
    for (gpu_info& gpu : result) gpu.memory = std::min(gpu.memory, *limit);
  return result;
}

bool built_with_cuda() noexcept {
  return cuda_enabled;
}

std::optional<std::size_t> gpu_memory_limit() {
  char const* const text = std::getenv("ORDO_GPU_MEMORY");
  if (!text || !*text) return std::nullopt;
  return parse_bytes(text);
}

namespace {

using cuda_detail::gpu_state;

/// Returns the first GPU that runs this build and has the memory, or the CPU and the reason. For builds with CUDA: a template,
/// so that no other build has it, not even one without optimisation.
template <class Options>
machine_choice choose_gpu(Options const& options, std::function<std::size_t(gpu_info const&)> const& gpu_bytes) {
  bool const required = options.device == device::gpu;
  auto const devices = gpus();
  if (devices.empty()) {
    if (required) throw usage_error("no GPU: the driver shows none");
    return {device::cpu, "no GPU is present"};
  }
  if (options.gpu_index && *options.gpu_index >= devices.size())
    throw usage_error(fmt::format("no GPU {}: the driver shows {}, numbered from 0", *options.gpu_index, devices.size()));
  std::string reasons;
  std::size_t wanted = 0;
  bool too_small = false;
  for (gpu_info const& gpu : devices) {
    if (options.gpu_index && gpu.index != *options.gpu_index) continue;
    auto const refuse = [&](std::string const& why) {
      reasons += fmt::format("{}GPU {}, {}: {}", reasons.empty() ? "" : "; ", cuda_detail::first_gpu_number + gpu.index,
                             gpu.name, why);
    };
    gpu_state const now = cuda_detail::state_of_gpu(gpu.index);
    if (!now.unusable.empty()) {
      refuse(now.unusable);
      continue;
    }
    cuda_detail::device_scope const on(gpu.index);  // the memory needed depends on the GPU
    std::size_t const needed = gpu_bytes(gpu), free = std::min(now.free_memory, gpu_memory_limit().value_or(now.free_memory));
    if (needed <= free) return {device::gpu, required ? "requested" : gpu.name, false, required, gpu.index};
    bool const limited = needed <= now.free_memory;
    refuse(fmt::format(
        "{} bytes of GPU memory are needed, {} {}", needed, free,
        limited ? fmt::format("may be taken: ORDO_GPU_MEMORY={}M at least", (needed >> 20) + 1) : std::string("are free")));
    wanted = needed;
    too_small = true;
  }
  if (!required) return {device::cpu, reasons, true};
  if (too_small) throw out_of_memory("GPU memory: " + reasons, wanted);
  throw usage_error("no usable GPU: " + reasons);
}

}  // namespace

machine_options detail::with_environment(machine_options const& given) {
  if (given.device == device::automatic)
    if (char const* const wish = std::getenv("ORDO_DEVICE"); wish && *wish) {
      // A call that cannot share its work takes the first of several GPUs, such as all or gpu:0-3.
      std::string_view const name(wish);
      machine_options options = parse_device(name == "all" ? "gpu" : name.substr(0, name.find('-')));
      options.threads = given.threads;
      return options;
    }
  return given;
}

machine_choice choose_machine(machine_options const& given, std::size_t input_bytes, std::size_t min_gpu_bytes,
                              std::function<std::size_t(gpu_info const&)> const& gpu_bytes) {
  if (given.on) return {given.on->kind(), "the caller's machine", false, true};
  machine_options const options = detail::with_environment(given);
  if (options.device == device::cpu) return {device::cpu, "requested", false, true};
  if constexpr (cuda_enabled) {
    if (options.device == device::automatic && input_bytes < min_gpu_bytes)
      return {device::cpu, fmt::format("{} bytes are too few to pay for the GPU's start", input_bytes)};
    return choose_gpu(options, gpu_bytes);
  }
  if (options.device == device::gpu) throw usage_error("no GPU support: this build was compiled without CUDA");
  return {device::cpu, "this build has no GPU support"};
}

}  // namespace ordo::inline v0
