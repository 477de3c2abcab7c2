#pragma once
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "ordo/detail/buffer.hpp"
#include "ordo/gpu.hpp"
#include "ordo/machine.hpp"
#include "tests/unit/catch.hpp"

// The GPU for subjects that do not use its backend, which the host's compiler compiles.

/// A test of every machine in `handles`, tagged with the machine's name.
#define HANDLE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (gpu)", tags "[cuda]", handles)

// What guarded.hpp calls (gpu/gpu_bytes.cu).
ordo::buffer<unsigned char> copied_bytes(ordo::gpu& on, std::vector<unsigned char> const& image);
void read_bytes(ordo::gpu& on, std::span<unsigned char const> from, std::span<unsigned char> to);
/// Returns a resource over cudaMalloc.
std::unique_ptr<ordo::memory_resource> plain_gpu_memory();

namespace {
using handles = std::tuple<ordo::gpu>;
template <class Machine>
bool present() {
  return !ordo::gpus().empty();
}
template <class F>
decltype(auto) with_backend(ordo::gpu& on, F f) {
  return f(on);
}
struct plain_memory final : ordo::memory_resource {
  void* allocate(std::size_t bytes) override { return all->allocate(bytes); }
  void deallocate(void* block, std::size_t bytes) noexcept override { all->deallocate(block, bytes); }
  std::unique_ptr<ordo::memory_resource> all = plain_gpu_memory();
};
/// A caller's allocator that counts calls.
struct counting_source final : ordo::device_allocator {
  void* allocate(std::size_t bytes, CUstream_st*) override {
    ++calls;
    return plain.allocate(bytes);
  }
  void deallocate(void* block, std::size_t bytes, CUstream_st*) noexcept override { plain.deallocate(block, bytes); }
  plain_memory plain;
  std::size_t calls = 0;
};
inline ordo::gpu handle_over(counting_source& source) {
  return ordo::gpu({.allocator = &source});
}
}  // namespace
