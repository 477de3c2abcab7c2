#pragma once
#include <tuple>

#include "sort_core/cpu_backend.hpp"
#include "sort_core/host_tasks.hpp"
#include "tests/catch.hpp"

/// A test of every machine in `machines`, called by the machine's name and tagged with it.
#define MACHINE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (host)", tags "[host]", machines)
#define HANDLE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (cpu)", tags "[host]", handles)

namespace {
/// The machines that the templated tests of this translation unit run on.
using machines = std::tuple<ordo::host>;
/// The same, as their users hold them.
using handles = std::tuple<ordo::cpu>;
template <class Machine>
bool present() {
  return true;
}
using plain_memory = ordo::host_memory;
inline ordo::host machine_over(ordo::memory& source) {
  return ordo::host(0, source);
}
}  // namespace
