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

#pragma GCC visibility push(default)

namespace ordo::inline v0 {

namespace detail {
struct operation_task;
struct sort_task;
struct stream_task;
}  // namespace detail

/// The kind of hardware that does the work. The output is the same bytes on each.
enum class device { automatic, cpu, gpu };

std::string_view to_string(device which);

/// A machine that sorts: an ordo::cpu (cpu.hpp) or an ordo::gpu (gpu.hpp). Create one, keep it, and pass it to the sorts of
/// sort.hpp and to the libraries. One object must not be used by two threads at a time; different objects may.
class machine {
 public:
  virtual ~machine() = default;
  [[nodiscard]] virtual device kind() const noexcept = 0;
  /// Reserves `bytes` bytes of temporary memory. Later calls that need no more allocate nothing: reserve(X_memory(...)) serves
  /// X(...). A smaller earlier reservation is freed. A call that needs more may allocate that beside the reservation, which
  /// counts against a memory limit until trim(). @throws out_of_memory
  virtual void reserve(std::size_t bytes) = 0;
  /// Frees cached temporary memory until at most `max_bytes` bytes remain.
  virtual void trim(std::size_t max_bytes = 0) noexcept = 0;
  /// Returns the maximum number of bytes of the machine's memory in use since the last call of this function. The caller's own
  /// arrays do not count.
  virtual std::size_t peak_memory() noexcept = 0;

  /// Implementation of the functions of sort.hpp.
  virtual void run(detail::sort_task const& task) = 0;
  [[nodiscard]] virtual std::size_t memory_for(detail::sort_task const& task) = 0;
  /// Implementation of the functions of top_k.hpp, rows.hpp and merge.hpp.
  /// @returns the number of groups, for unique
  virtual std::uint64_t run(detail::operation_task const& task) = 0;
  [[nodiscard]] virtual std::size_t memory_for(detail::operation_task const& task) = 0;
  /// Implementation of the functions of array_stream.hpp.
  virtual std::uint64_t stream(detail::stream_task const& task) = 0;

 protected:
  machine() = default;
  machine(machine const&) = default;
  machine& operator=(machine const&) = default;
};

/// The choice of a machine for a library call: a machine of the caller, or one that the process creates once and keeps.
struct machine_options {
  ordo::device device = ordo::device::automatic;
  /// The number of threads of the process's CPU machine; 0 for all.
  unsigned threads = 0;
  /// The index of the GPU, as the driver counts those it shows (CUDA_VISIBLE_DEVICES). If not set, the first suitable one is
  /// used.
  std::optional<unsigned> gpu_index = {};
  /// The machine to use; it must outlive the call. If set, the other options are ignored.
  ordo::machine* on = nullptr;

  [[nodiscard]] ordo::device kind() const noexcept { return on ? on->kind() : device; }
};

/// Parses "auto", "cpu", "gpu", or "gpu:1" for a GPU by its index. @throws usage_error  for anything else
machine_options parse_device(std::string_view name);

struct gpu_info {
  unsigned index = 0;  // in the driver's numbering
  std::string name;
  int major = 0, minor = 0;      // compute capability
  std::size_t memory = 0;        // bytes, limited by ORDO_GPU_MEMORY
  std::size_t block_memory = 0;  // maximum bytes of shared memory per block
};

/// Returns the GPUs that the driver shows. Empty if the build has no CUDA or the host no driver or no GPU. Queries the driver,
/// but initialises no device. Never throws.
std::vector<gpu_info> gpus();
/// Returns true if the build supports GPUs.
bool built_with_cuda() noexcept;
/// Returns the value of ORDO_GPU_MEMORY, the maximum of GPU memory that one machine may allocate. @throws usage_error
std::optional<std::size_t> gpu_memory_limit();

/// The machine chosen for one job, and the reason.
struct machine_choice {
  ordo::device device = ordo::device::cpu;  // never automatic
  std::string reason;
  bool fell_back = false;  // automatic choice, and a GPU that was there could not take the job: worth a warning
  bool required = false;   // the user named or passed the machine: no other may take the job
  unsigned gpu_index = 0;  // index of the GPU
};

/// Chooses the machine for a job. For device::automatic, ORDO_DEVICE decides if set. Otherwise the choice is the first GPU that
/// runs this build and has enough memory, if the input has at least `min_gpu_bytes` bytes, and else the CPU. The driver is not
/// queried for smaller inputs, nor if the CPU is required.
/// @param gpu_bytes  returns the GPU memory that the job takes. Called only if there is a GPU
/// @throws usage_error  if a GPU is required, and there is none, none that runs this build, or the build has no CUDA
/// @throws out_of_memory  if a GPU is required and gpu_bytes do not fit. The message states both figures
machine_choice choose_machine(machine_options const& options, std::size_t input_bytes, std::size_t min_gpu_bytes,
                              std::function<std::size_t(gpu_info const&)> const& gpu_bytes);

/// Calls on_gpu() or on_cpu(), as chosen. If on_gpu() runs out of memory and the GPU is not required, calls on_cpu() and
/// updates `machine` to report that.
template <class OnGpu, class OnCpu>
void run_with_fallback(machine_choice& machine, OnGpu on_gpu, OnCpu on_cpu) {
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

}  // namespace ordo::inline v0
#pragma GCC visibility pop
