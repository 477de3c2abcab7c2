#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "ordo/detail/operation_task.hpp"
#include "ordo/detail/task.hpp"
#include "ordo/machine.hpp"
#include "ordo/sort.hpp"

#pragma GCC visibility push(default)

namespace ordo::inline v0 {

class host_backend;
class memory_resource;

struct cpu_options {
  /// The number of threads. 0 means all threads that the process may use, which is also the maximum.
  unsigned threads = 0;
  /// The source of temporary memory, which must outlive the machine. By default the machine has a pool that caches freed
  /// blocks.
  memory_resource* allocator = nullptr;
  /// The maximum of temporary memory that the machine allocates, in bytes.
  std::size_t memory_limit = std::numeric_limits<std::size_t>::max();
};

/// A CPU as a machine: a number of threads, and temporary memory that is reused from call to call. Construction is cheap. One
/// object must not be used by two threads at a time; different objects may.
class cpu final : public machine {
 public:
  explicit cpu(cpu_options const& options = {});
  ~cpu() override;
  cpu(cpu&& other) noexcept;
  cpu& operator=(cpu&& other) noexcept;

  [[nodiscard]] ordo::device kind() const noexcept override { return ordo::device::cpu; }

  void reserve(std::size_t bytes) override;
  void trim(std::size_t max_bytes = 0) noexcept override;
  std::size_t peak_memory() noexcept override;
  void run(detail::sort_task const& task) override;
  [[nodiscard]] std::size_t memory_for(detail::sort_task const& task) override;
  std::uint64_t run(detail::operation_task const& task) override;
  [[nodiscard]] std::size_t memory_for(detail::operation_task const& task) override;
  std::uint64_t stream(detail::stream_task const& task) override;

  /// Returns the Backend that the libraries' algorithms run on.
  [[nodiscard]] host_backend& backend();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
