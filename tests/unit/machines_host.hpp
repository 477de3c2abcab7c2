#pragma once
#include <tuple>

#include "ordo/cpu_backend.hpp"
#include "sort_core/host/tasks.hpp"
#include "tests/unit/catch.hpp"

/// A test of every machine in `machines`, tagged with the machine's name.
#define MACHINE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (host)", tags "[host]", machines)
#define HANDLE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (cpu)", tags "[host]", handles)

namespace {
/// The backends that the templated tests of this translation unit run on.
using machines = std::tuple<ordo::host_backend>;
/// The machines of these backends.
using handles = std::tuple<ordo::cpu>;
template <class Machine>
bool present() {
  return true;
}
using plain_memory = ordo::host_memory;
inline ordo::host_backend machine_over(ordo::memory_resource& source) {
  return ordo::host_backend(0, source);
}
/// A caller's allocator that counts calls.
struct counting_source final : ordo::memory_resource {
  void* allocate(std::size_t bytes) override {
    ++calls;
    return plain.allocate(bytes);
  }
  void deallocate(void* block, std::size_t bytes) noexcept override { plain.deallocate(block, bytes); }
  ordo::host_memory plain;
  std::size_t calls = 0;
};
inline ordo::cpu handle_over(counting_source& source) {
  return ordo::cpu({.allocator = &source});
}
}  // namespace
