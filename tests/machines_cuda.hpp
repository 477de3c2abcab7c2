#pragma once
#include <tuple>

#include "sort_core/cuda/cuda.cuh"
#include "sort_core/machine.hpp"
#include "tests/catch.hpp"

/// A test of every machine in `machines`, called by the machine's name and tagged with it.
#define MACHINE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (cuda)", tags "[cuda]", machines)

namespace {
using machines = std::tuple<ordo::cuda>;
template <class B>
bool present() {
  return !ordo::gpus().empty();
}
using plain_memory = ordo::device_memory;
inline ordo::cuda machine_over(ordo::memory& source) {
  return ordo::cuda(source);
}
}  // namespace
