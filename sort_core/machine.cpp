#include "ordo/machine.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"
#include "ordo/memory.hpp"
#include "sort_core/cuda/devices.hpp"

namespace ordo {

machine_options parse_device(std::string_view name) {
  machine_options how;
  if (name == "auto") return how;
  how.device = device::cpu;
  if (name == "cpu") return how;
  how.device = device::gpu;
  if (name == "gpu") return how;
  constexpr std::string_view numbered = "gpu:";
  if (name.starts_with(numbered)) {
    unsigned index = 0;
    char const *const first = name.data() + numbered.size(), *const last = name.data() + name.size();
    if (auto const [end, error] = std::from_chars(first, last, index); error == std::errc{} && end == last) {
      how.gpu_index = index;
      return how;
    }
  }
  throw usage_error(fmt::format("unknown device: {}: one of auto, cpu, gpu, gpu:0, gpu:1 ... was expected", name));
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
  if constexpr (cuda_enabled) found = cuda_detail::list_gpus();
  if (auto const limit = gpu_memory_limit())
    for (gpu_info& gpu : found) gpu.memory = std::min(gpu.memory, *limit);
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
    text += fmt::format("CUDA: {}\n", cuda_detail::cuda_versions());
    auto const found = gpus();
    if (found.empty()) text += "GPU: none\n";
    for (gpu_info const& gpu : found)
      text += fmt::format("GPU: {}, compute capability {}.{}, {:.1f} GB\n", gpu.name, gpu.major, gpu.minor,
                          double(gpu.memory) / 1e9);
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

namespace {

using cuda_detail::gpu_state;

/// The first of the GPUs that runs this build and has the memory; or the CPU, and why. Of a build with CUDA.
[[maybe_unused]] machine_choice choose_gpu(machine_options const& how,
                                           std::function<std::size_t(gpu_info const&)> const& gpu_bytes) {
  bool const asked = how.device == device::gpu;
  auto const found = gpus();
  if (found.empty()) {
    if (asked) throw usage_error("no GPU: this machine: the driver shows none");
    return {device::cpu, "no GPU is present"};
  }
  if (how.gpu_index && *how.gpu_index >= found.size())
    throw usage_error(
        fmt::format("no GPU {}: this machine: the driver shows {}, counted from 0", *how.gpu_index, found.size()));
  std::string reasons;
  std::size_t wanted = 0;
  bool too_small = false;
  for (gpu_info const& gpu : found) {
    if (how.gpu_index && gpu.index != *how.gpu_index) continue;
    auto const refuse = [&](std::string const& why) {
      reasons += fmt::format("{}GPU {}, {}: {}", reasons.empty() ? "" : "; ", gpu.index, gpu.name, why);
    };
    gpu_state const now = cuda_detail::state_of_gpu(gpu.index);
    if (!now.unusable.empty()) {
      refuse(now.unusable);
      continue;
    }
    cuda_detail::device_scope const on(gpu.index);  // what is needed depends on the card
    std::size_t const needed = gpu_bytes(gpu), free = std::min(now.free_memory, gpu_memory_limit().value_or(now.free_memory));
    if (needed <= free) return {device::gpu, asked ? "asked for" : gpu.name, false, asked, gpu.index};
    bool const limited = needed <= now.free_memory;
    refuse(fmt::format(
        "{} bytes of GPU memory are needed, {} {}", needed, free,
        limited ? fmt::format("may be taken: ORDO_GPU_MEMORY={}M at least", (needed >> 20) + 1) : std::string("are free")));
    wanted = needed;
    too_small = true;
  }
  if (!asked) return {device::cpu, reasons, true};
  if (too_small) throw out_of_memory("GPU memory: " + reasons, wanted);
  throw usage_error("no usable GPU: " + reasons);
}

// The same, but for ORDO_DEVICE where `given` leaves the machine open.
machine_options asked_for(machine_options const& given) {
  if (given.device == device::automatic)
    if (char const* const wish = std::getenv("ORDO_DEVICE"); wish && *wish) {
      machine_options how = parse_device(wish);
      how.threads = given.threads;
      return how;
    }
  return given;
}

}  // namespace

machine_choice choose_machine(machine_options const& given, std::size_t input_bytes, std::size_t min_gpu_bytes,
                              std::function<std::size_t(gpu_info const&)> const& gpu_bytes) {
  if (given.on) return {given.on->kind(), "the caller's own", false, true};
  machine_options const how = asked_for(given);
  if (how.device == device::cpu) return {device::cpu, "asked for", false, true};
  if constexpr (cuda_enabled) {
    if (how.device == device::automatic && input_bytes < min_gpu_bytes)
      return {device::cpu, fmt::format("{} bytes are too few to pay for the GPU's start", input_bytes)};
    return choose_gpu(how, gpu_bytes);
  }
  if (how.device == device::gpu) throw usage_error("no GPU machine: this build: it was compiled without CUDA");
  return {device::cpu, "this build has no GPU machine"};
}

}  // namespace ordo
