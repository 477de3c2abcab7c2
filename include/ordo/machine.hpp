#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ordo/detail/config.hpp"
#include "ordo/error.hpp"

namespace ordo {

namespace detail {
struct sort_task;
struct stream_task;
}  // namespace detail

/// Where the work is done. The bytes that come out are the same.
enum class device { automatic, cpu, gpu };

std::string_view to_string(device which);

/// A machine as its user holds it: an ordo::cpu (cpu.hpp) or an ordo::gpu (gpu.hpp). It is made once, kept, and passed to the
/// sorts of sort.hpp and to the libraries. Used by one thread at a time; different machines work at the same time.
class machine {
 public:
  virtual ~machine() = default;
  [[nodiscard]] virtual device kind() const noexcept = 0;
  /// Takes `bytes` bytes of temporary memory and keeps them, so that calls which need no more take none: X after
  /// reserve(X_memory(...)). Memory that was reserved before is given back if it is less. A call that needs more may take that
  /// beside what is reserved, which counts against a limit until trim(). @throws out_of_memory
  virtual void reserve(std::size_t bytes) = 0;
  /// Give back temporary memory that is kept for the next call, until at most `keep` bytes of it are.
  virtual void trim(std::size_t keep = 0) noexcept = 0;
  /// Bytes of the machine's memory in use at most since this was last called, arguments of the caller's own not counted.
  virtual std::size_t peak_memory() noexcept = 0;

  /// What the functions of sort.hpp hand over.
  virtual void run(detail::sort_task const& task) = 0;
  [[nodiscard]] virtual std::size_t memory_for(detail::sort_task const& task) = 0;
  /// The same of array_stream.hpp.
  virtual std::uint64_t stream(detail::stream_task const& task) = 0;

 protected:
  machine() = default;
  machine(machine const&) = default;
  machine& operator=(machine const&) = default;
};

/// What a library call runs on: a machine that the caller keeps, or one of the process's own, which are made once.
struct machine_options {
  ordo::device device = ordo::device::automatic;
  /// Of the process's CPU machine, 0 for all there are.
  unsigned threads = 0;
  /// Which of the GPUs, as the driver counts them (CUDA_VISIBLE_DEVICES says which it shows); none: the first that can do it.
  std::optional<unsigned> gpu_index = {};
  /// The machine to work on, and no other; the rest does not count then. It must outlive the call.
  ordo::machine* on = nullptr;

  [[nodiscard]] ordo::device kind() const noexcept { return on ? on->kind() : device; }
};

/// "auto", "cpu", "gpu", or "gpu:1" for a GPU by its index. @throws usage_error for anything else
machine_options parse_device(std::string_view name);

struct gpu_info {
  unsigned index = 0;  // as the driver counts them
  std::string name;
  int major = 0, minor = 0;      // compute capability
  std::size_t memory = 0;        // bytes; ORDO_GPU_MEMORY limits it
  std::size_t block_memory = 0;  // bytes of shared memory that one block can have
};

/// The GPUs that the driver shows; empty in a build without CUDA, without a driver, or without a card. Asks the driver, but
/// starts no card. Never throws.
std::vector<gpu_info> gpus();
/// Was the GPU machine compiled in?
bool built_with_cuda() noexcept;
/// Compiler, CUDA and devices, a line each, for --version.
std::string describe_build();

/// "64M" and the like: bytes, with K, M, G, T for powers of 1024. @throws usage_error
std::size_t parse_bytes(std::string_view text);
/// ORDO_GPU_MEMORY, the most GPU memory that one machine may take. @throws usage_error
std::optional<std::size_t> gpu_memory_limit();

/// The machine for one piece of work, and the reason in words.
struct machine_choice {
  ordo::device device = ordo::device::cpu;  // cpu or gpu
  std::string reason;
  bool fell_back = false;  // automatic, and the GPU was there, but could not take it: worth a word on stderr
  bool required = false;   // by name, or handed over: no other machine may take the work
  unsigned gpu_index = 0;  // which GPU
};

/// Decide. `where` automatic: ORDO_DEVICE if set, else the first GPU that runs this build and has the memory, if the work has
/// at least `min_gpu_bytes` bytes of input. No driver is asked for work that is not worth it, or for the CPU.
/// @param gpu_bytes  what the work takes of a GPU's memory; asked only if there is a GPU. Its time is the caller's
/// @throws usage_error  gpu was asked for and there is none, none that can run this build, or it is not in this build
/// @throws out_of_memory  gpu was asked for and gpu_bytes do not fit (the message has both figures)
machine_choice choose_machine(machine_options const& options, std::size_t input_bytes, std::size_t min_gpu_bytes,
                              std::function<std::size_t(gpu_info const&)> const& gpu_bytes);

/// Work on the machine that was chosen: on_gpu(), or on_cpu(); and on_cpu() where on_gpu() runs out of memory, unless the GPU
/// was asked for. `machine` tells afterwards what was done.
template <class OnGpu, class OnCpu>
void run_on(machine_choice& machine, OnGpu on_gpu, OnCpu on_cpu) {
  if constexpr (cuda_enabled) {
    if (machine.device == device::gpu) {
      try {
        return on_gpu();
      } catch (out_of_memory const& e) {
        if (machine.required) throw;
        machine = {device::cpu, e.what(), true, false, 0};
      }
    }
  }
  on_cpu();
}

}  // namespace ordo
