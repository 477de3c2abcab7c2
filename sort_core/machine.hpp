#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordo {

/// Where the work is done. The bytes that come out are the same.
enum class device { automatic, cpu, gpu };

/// "auto", "cpu", "gpu". @throws usage_error for anything else
device parse_device(std::string_view name);
std::string_view to_string(device which);

/// What a library call runs on. `threads` counts the CPU machine's threads, 0 for all there are.
struct machine_options {
  device where = device::automatic;
  unsigned threads = 0;
};

struct gpu_info {
  std::string name;
  int major = 0, minor = 0;                 // compute capability
  std::size_t memory = 0, free_memory = 0;  // bytes; ORDO_GPU_MEMORY limits both
};

/// The GPUs that can be used now; empty in a build without CUDA, without a driver, or without a card. Never throws.
std::vector<gpu_info> gpus();
/// Was the GPU machine compiled in?
bool built_with_cuda() noexcept;
/// Compiler, CUDA and devices, a line each, for --version.
std::string describe_build();

/// "64M" and the like: bytes, with K, M, G, T for powers of 1024. @throws usage_error
std::size_t parse_bytes(std::string_view text);
/// ORDO_GPU_MEMORY, the most GPU memory this process may take. @throws usage_error
std::optional<std::size_t> gpu_memory_limit();

/// The machine for one piece of work, and the reason in words.
struct decision {
  device where = device::cpu;  // cpu or gpu
  std::string why;
  bool fell_back = false;  // automatic, and the GPU was there, but could not take it: worth a word on stderr
  bool asked = false;      // by name: no other machine may take the work
};

/// Decide. `where` automatic: ORDO_DEVICE if set, else the GPU where one is present, the work has at least `worthwhile`
/// bytes of input, and `gpu_bytes` fit its memory.
/// @throws usage_error  gpu was asked for and there is none, or it is not in this build
/// @throws out_of_memory  gpu was asked for and gpu_bytes do not fit (the message has both figures)
decision choose(device where, std::size_t input_bytes, std::size_t gpu_bytes, std::size_t worthwhile);

}  // namespace ordo
