#pragma once
#include <cstddef>
#include <limits>
#include <memory>

#include "ordo/machine.hpp"
#include "ordo/sort.hpp"

namespace ordo {

class host_backend;
class memory_resource;

struct cpu_options {
  /// 0 for as many as the process may use, which is also the most.
  unsigned threads = 0;
  /// Where temporary memory comes from, which must outlive the machine; none: a pool of its own, which keeps freed blocks.
  memory_resource* allocator = nullptr;
  /// Most bytes of temporary memory that the machine takes.
  std::size_t memory_limit = std::numeric_limits<std::size_t>::max();
};

/// The CPU, as its user holds it: so many threads, and memory that is kept from call to call. Making one is cheap. One thread
/// at a time calls it; several machines work at the same time.
class cpu final : public machine {
 public:
  explicit cpu(cpu_options const& how = {});
  ~cpu() override;
  cpu(cpu&& other) noexcept;
  cpu& operator=(cpu&& other) noexcept;

  [[nodiscard]] ordo::device kind() const noexcept override { return ordo::device::cpu; }

  void reserve(std::size_t bytes) override;
  void trim(std::size_t keep = 0) noexcept override;
  std::size_t peak_memory() noexcept override;
  void run(detail::sort_task const& task) override;
  [[nodiscard]] std::size_t memory_for(detail::sort_task const& task) override;
  std::uint64_t stream(detail::stream_task const& task) override;

  /// For the libraries: the machine as algorithms see it.
  [[nodiscard]] host_backend& backend();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ordo
