#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/processes/forks.hpp"
#include "python/src/array.hpp"
#include "sort_core/c_machine.hpp"

namespace ordo_python {

/// Throws the exception of ordo/error.hpp that a status stands for.
void check(ordo_status status);

/// Registers the Python exceptions of the errors of ordo/error.hpp.
void add_errors(nb::module_& module);

/// The machines of a program: a CPU, and a GPU for each device and stream on which arrays are. Each is created by the first
/// call that needs it. One call at a time uses them. A forked process creates its own: the parent's may have been in use.
class machines {
 public:
  /// @param device  "auto", "cpu", "gpu" or "gpu:N"
  machines(std::string const& device, unsigned threads, std::size_t memory_limit);

  /// Calls f(machine) for the machine that works where the arrays are, without the GIL. Few items are sorted in less time than
  /// the GIL takes: a CPU that no other thread uses keeps it.
  /// @param stream  0 is CUDA's default stream, and waits for a GPU's work
  /// @param items  the number of items, where that is known
  template <class F>
  void run(std::optional<unsigned> gpu, std::uintptr_t stream, F f, std::size_t items = ~std::size_t{0}) {
    constexpr std::size_t few = 1024;
    if (items <= few && !gpu) {
      of_process& own = own_.get();
      if (std::unique_lock const one_call(own.mutex, std::try_to_lock); one_call)
        return check(f(machine_for(own, gpu, stream)));
    }
    nb::gil_scoped_release const released;
    of_process& own = own_.get();
    std::scoped_lock const one_call(own.mutex);
    ordo_machine* const machine = machine_for(own, gpu, stream);
    check(f(machine));
    if (gpu && stream == 0) check(ordo_synchronize(machine));
  }
  /// Calls f(machine) for each machine that exists.
  template <class F>
  void each(F f) {
    nb::gil_scoped_release const released;
    of_process& own = own_.get();
    std::scoped_lock const one_call(own.mutex);
    if (own.cpu) f(own.cpu.get());
    for (auto const& [place, gpu] : own.gpus) f(gpu.get());
  }

  /// Returns the choice of a machine for functions whose input is on the host.
  [[nodiscard]] ordo::machine_options options() const { return options_; }
  [[nodiscard]] std::string const& device() const noexcept { return device_; }
  [[nodiscard]] unsigned threads() const noexcept { return options_.threads; }
  /// Returns the maximum of temporary memory in bytes; 0 for no limit.
  [[nodiscard]] std::size_t memory_limit() const noexcept { return memory_limit_; }

 private:
  struct free_machine {
    void operator()(ordo_machine* machine) const noexcept { ordo_machine_free(machine); }
  };
  using owned_machine = std::unique_ptr<ordo_machine, free_machine>;

  struct of_process {
    std::mutex mutex;
    owned_machine cpu;
    std::map<std::pair<unsigned, std::uintptr_t>, owned_machine> gpus;
  };

  ordo_machine* machine_for(of_process& own, std::optional<unsigned> gpu, std::uintptr_t stream);

  std::string device_;
  ordo::machine_options options_;
  std::size_t memory_limit_;
  ordo::per_process<of_process> own_;
};

}  // namespace ordo_python
