#pragma once
#include <memory>
#include <optional>

#include "ordo.h"
#include "ordo/gpu.hpp"
#include "ordo/machine.hpp"
#include "ordo/memory.hpp"
#include "sort_core/algorithms/run_task.hpp"

namespace ordo::inline v0::detail {

/// The callbacks of a C program as a memory resource of a CPU.
class c_host_memory final : public memory_resource {
 public:
  explicit c_host_memory(ordo_allocator const& callbacks) : callbacks_(callbacks) {}
  void* allocate(std::size_t bytes) override;
  void deallocate(void* block, std::size_t bytes) noexcept override;

 private:
  ordo_allocator callbacks_;
};

/// The callbacks of a C program as an allocator of a GPU.
class c_device_memory final : public device_allocator {
 public:
  explicit c_device_memory(ordo_allocator const& callbacks) : callbacks_(callbacks) {}
  void* allocate(std::size_t bytes, CUstream_st* stream) override;
  void deallocate(void* block, std::size_t bytes, CUstream_st* stream) noexcept override;

 private:
  ordo_allocator callbacks_;
};

/// Stores the text of the exception that is being handled, and returns its status.
ordo_status c_status_of_exception() noexcept;

/// Calls f(), stores the text of an exception for ordo_last_error, and returns the status.
template <class F>
ordo_status c_status(F f) noexcept {
  try {
    f();
    return ORDO_OK;
  } catch (...) {
    return c_status_of_exception();
  }
}

/// Returns the task of ordo_sort_keys, or of ordo_sort_pairs if value_bytes is not 0. @throws usage_error
sort_task c_sort_task(ordo_type key_type, void* keys, std::size_t value_bytes, void* values, std::size_t n,
                      ordo_sort_options const* options);

}  // namespace ordo::inline v0::detail

/// The machine of a handle of ordo.h, and its allocator, which outlives it.
struct ordo_machine {
  std::optional<ordo::detail::c_host_memory> host_memory;
  std::optional<ordo::detail::c_device_memory> device_memory;
  std::unique_ptr<ordo::machine> machine;
  ordo::gpu* gpu = nullptr;  // the same machine, if it is a GPU
};
