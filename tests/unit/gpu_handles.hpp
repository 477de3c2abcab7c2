#pragma once
#include <cstddef>
#include <memory>
#include <tuple>

#include "ordo/gpu.hpp"
#include "ordo/machine.hpp"
#include "ordo/memory.hpp"
#include "tests/unit/catch.hpp"

// The GPU as a machine, for sources of both compilers.

/// A test of every machine in `handles`, tagged with the machine's name.
#define HANDLE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (gpu)", tags "[cuda]", handles)

/// Returns a resource over cudaMalloc (gpu/gpu_bytes.cu).
std::unique_ptr<ordo::memory_resource> plain_gpu_memory();

namespace {
using handles = std::tuple<ordo::gpu>;
template <class Machine>
bool present() {
  return !ordo::gpus().empty();
}
/// A caller's allocator that counts calls.
struct counting_source final : ordo::device_allocator {
  void* allocate(std::size_t bytes, CUstream_st*) override {
    ++calls;
    return plain->allocate(bytes);
  }
  void deallocate(void* block, std::size_t bytes, CUstream_st*) noexcept override { plain->deallocate(block, bytes); }
  std::unique_ptr<ordo::memory_resource> plain = plain_gpu_memory();
  std::size_t calls = 0;
};
inline ordo::gpu handle_over(counting_source& source) {
  return ordo::gpu({.allocator = &source});
}
}  // namespace
