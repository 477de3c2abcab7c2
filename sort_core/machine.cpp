#include "sort_core/machine.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "sort_core/config.hpp"
#include "sort_core/cuda/devices.hpp"
#include "sort_core/error.hpp"
#include "sort_core/memory.hpp"

namespace ordo {

device parse_device(std::string_view name) {
  if (name == "auto") return device::automatic;
  if (name == "cpu") return device::cpu;
  if (name == "gpu") return device::gpu;
  throw usage_error(fmt::format("unknown device: {}: one of auto, cpu, gpu was expected", name));
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
  std::vector<gpu_info> found;
  if constexpr (cuda_enabled) found = detail::list_gpus();
  if (auto const limit = gpu_memory_limit()) {
    for (gpu_info& gpu : found) {
      gpu.memory = std::min(gpu.memory, *limit);
      gpu.free_memory = std::min(gpu.free_memory, *limit);
    }
  }
  return found;
}

bool built_with_cuda() noexcept {
  return cuda_enabled;
}

std::string describe_build() {
  std::string text = fmt::format("compiler: {} {}\n",
#if defined(__clang__)
                                 "clang", __clang_version__
#else
                                 "g++", __VERSION__
#endif
  );
  if constexpr (cuda_enabled) {
    text += fmt::format("CUDA: {}\n", detail::cuda_versions());
    auto const found = gpus();
    if (found.empty()) text += "GPU: none\n";
    for (gpu_info const& gpu : found)
      text += fmt::format("GPU: {}, compute capability {}.{}, {:.1f} GB, {:.1f} GB free\n", gpu.name, gpu.major, gpu.minor,
                          double(gpu.memory) / 1e9, double(gpu.free_memory) / 1e9);
  } else {
    text += "CUDA: not in this build\n";
  }
  return text;
}

std::size_t parse_bytes(std::string_view text) {
  std::size_t value = 0, digits = 0;
  bool fits = true;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits)
    fits = fits && !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, text[digits] - '0', &value);
  std::string_view const suffix = text.substr(digits);
  unsigned shift = 0;
  if (suffix == "K" || suffix == "k")
    shift = 10;
  else if (suffix == "M")
    shift = 20;
  else if (suffix == "G")
    shift = 30;
  else if (suffix == "T")
    shift = 40;
  else if (!suffix.empty())
    digits = 0;
  if (digits == 0 || !fits || (value << shift) >> shift != value)
    throw usage_error(fmt::format("bad size: {}: a number of bytes was expected, with K, M, G or T for powers of 1024", text));
  return value << shift;
}

std::optional<std::size_t> gpu_memory_limit() {
  char const* const text = std::getenv("ORDO_GPU_MEMORY");
  if (!text || !*text) return std::nullopt;
  return parse_bytes(text);
}

decision choose(device where, std::size_t input_bytes, std::size_t gpu_bytes, std::size_t worthwhile) {
  if (where == device::automatic)
    if (char const* const wish = std::getenv("ORDO_DEVICE"); wish && *wish) where = parse_device(wish);
  if (where == device::cpu) return {device::cpu, "asked for", false, true};
  if (!cuda_enabled) {
    if (where == device::gpu) throw usage_error("no GPU machine: this build: it was compiled without CUDA");
    return {device::cpu, "this build has no GPU machine", false};
  }
  // Asking the driver takes time; small work never pays for it.
  if (where == device::automatic && input_bytes < worthwhile)
    return {device::cpu, fmt::format("{} bytes are too few to pay for the GPU's start", input_bytes), false};
  auto const found = gpus();
  if (found.empty()) {
    if (where == device::gpu) throw usage_error("no GPU: this machine: the driver shows none");
    return {device::cpu, "no GPU is present", false};
  }
  std::size_t const free = found.front().free_memory;
  if (gpu_bytes > free) {
    auto const figures = fmt::format("{} bytes of GPU memory are needed, {} are free", gpu_bytes, free);
    if (where == device::gpu) throw out_of_memory("GPU memory: " + found.front().name + ": " + figures, gpu_bytes);
    return {device::cpu, figures, true};
  }
  bool const asked = where == device::gpu;
  return {device::gpu, asked ? "asked for" : found.front().name, false, asked};
}

}  // namespace ordo
