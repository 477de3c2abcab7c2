#pragma once
#include <tuple>

#include "ordo/gpu.cuh"
#include "ordo/machine.hpp"
#include "tests/unit/catch.hpp"

/// A test of every machine in `machines`, called by the machine's name and tagged with it.
#define MACHINE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (cuda)", tags "[cuda]", machines)
#define HANDLE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (gpu)", tags "[cuda]", handles)

namespace {
using machines = std::tuple<ordo::cuda_backend>;
using handles = std::tuple<ordo::gpu>;
template <class Machine>
bool present() {
  return !ordo::gpus().empty();
}
using plain_memory = ordo::device_memory;
inline ordo::cuda_backend machine_over(ordo::memory_resource& source) {
  return ordo::cuda_backend(source);
}
/// A caller's allocator for a handle, which counts how often it is called.
struct counting_source final : ordo::device_allocator {
  void* allocate(std::size_t bytes, CUstream_st*) override {
    ++calls;
    return plain.allocate(bytes);
  }
  void deallocate(void* block, std::size_t bytes, CUstream_st*) noexcept override { plain.deallocate(block, bytes); }
  ordo::device_memory plain;
  std::size_t calls = 0;
};
inline ordo::gpu handle_over(counting_source& source) {
  return ordo::gpu({.allocator = &source});
}
}  // namespace
