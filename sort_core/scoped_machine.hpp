#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/processes/forks.hpp"
#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "ordo/machine.hpp"

namespace ordo::inline v0 {

/// The machine of one library call: the caller's, or one of the process, which are created once and used by one call at a time.
/// Machines of the process live as long as it. Between calls they keep what they have started, but little memory.
template <class Machine>
class scoped_machine {
 public:
  /// @param which  identifies a machine of the process: the index of a GPU, or the number of threads of a CPU
  scoped_machine(machine_options const& options, unsigned which) : which_(which) {
    if (options.on) {
      machine_ = static_cast<Machine*>(options.on);  // its kind was checked when the machine was chosen
    } else {
      own_ = take(which);
      machine_ = own_.get();
    }
    static_cast<void>(machine_->peak_memory());  // restarts the measurement for this call
  }
  ~scoped_machine() {
    if (own_) give_back();
  }
  scoped_machine(scoped_machine const&) = delete;
  scoped_machine& operator=(scoped_machine const&) = delete;

  [[nodiscard]] Machine& operator*() const noexcept { return *machine_; }
  [[nodiscard]] Machine* operator->() const noexcept { return machine_; }

 private:
  /// The memory that a GPU keeps: enough for the next small call to allocate nothing.
  static constexpr std::size_t kept = std::is_same_v<Machine, gpu> ? std::size_t{512} << 20 : 0;

  struct idle_machines {
    std::mutex changing;
    std::map<unsigned, std::vector<std::unique_ptr<Machine>>> by_kind;
  };
  /// Never destroyed: the GPU's driver may shut down before the last static object of a process.
  static idle_machines& idle() {
    static auto& of_processes = *new per_process<idle_machines>;
    return of_processes.get();
  }
  static std::unique_ptr<Machine> take(unsigned which) {
    {
      std::lock_guard const lock(idle().changing);
      if (auto& machines = idle().by_kind[which]; !machines.empty()) {
        auto last = std::move(machines.back());
        machines.pop_back();
        return last;
      }
    }
    if constexpr (std::is_same_v<Machine, gpu>)
      return std::make_unique<gpu>(gpu_options{.device = which});
    else
      return std::make_unique<cpu>(cpu_options{.threads = which});
  }
  void give_back() noexcept try {
    own_->trim(kept);
    std::lock_guard const lock(idle().changing);
    idle().by_kind[which_].push_back(std::move(own_));
  } catch (std::bad_alloc const&) {  // the machine is then destroyed
  }

  unsigned which_;
  std::unique_ptr<Machine> own_;
  Machine* machine_ = nullptr;
};

/// Calls f(backend) on such a machine. For one call of a library. Include gpu.cuh or cpu_backend.hpp, too.
template <class Machine, class F>
auto with_machine(machine_options const& options, unsigned which, F f) {
  scoped_machine<Machine> const on(options, which);
  return with_backend(*on, f);
}

}  // namespace ordo::inline v0
