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
namespace detail {
class one_user;
}  // namespace detail

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
/// object is used by one thread at a time; different objects may be used at the same time. A call throws usage_error if another
/// thread is in a call of the same object, or if the object was moved from.
///
/// A process that is forked can use the machines of its parent, also while other threads of the parent work. It has one thread,
/// and temporary memory of its own.
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

  /// Returns the Backend that the libraries' algorithms run on. with_backend (cpu_backend.hpp) also checks that no other thread
  /// uses it.
  [[nodiscard]] host_backend& backend();

  /// A call of the machine by this thread, for the lifetime of the object. Calls may be within calls.
  class use {
   public:
    /// @throws usage_error  if another thread is in a call, or if the machine was moved from
    explicit use(cpu& on);
    ~use();
    use(use const&) = delete;
    use& operator=(use const&) = delete;

   private:
    detail::one_user& user_;
  };

 private:
  struct state;
  [[nodiscard]] state& checked() const;

  std::unique_ptr<state> state_;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
