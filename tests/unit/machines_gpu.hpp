#pragma once
#include <memory>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "tests/unit/gpu_handles.hpp"

// The GPU for subjects that do not use its backend, which the host's compiler compiles.

// What guarded.hpp calls (gpu/gpu_bytes.cu).
ordo::buffer<unsigned char> copied_bytes(ordo::gpu& on, std::vector<unsigned char> const& image);
void read_bytes(ordo::gpu& on, unsigned char const* from, unsigned char* to, std::size_t n);

namespace {
template <class F>
decltype(auto) with_backend(ordo::gpu& on, F f) {
  return f(on);
}
struct plain_memory final : ordo::memory_resource {
  void* allocate(std::size_t bytes) override { return all->allocate(bytes); }
  void deallocate(void* block, std::size_t bytes) noexcept override { all->deallocate(block, bytes); }
  std::unique_ptr<ordo::memory_resource> all = plain_gpu_memory();
};
}  // namespace
