#pragma once
#include <tuple>

#include "ordo/gpu.cuh"
#include "tests/unit/gpu_handles.hpp"

/// A test of every machine in `machines`, tagged with the machine's name.
#define MACHINE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (cuda)", tags "[cuda]", machines)

namespace {
using machines = std::tuple<ordo::cuda_backend>;
using plain_memory = ordo::device_memory;
inline ordo::cuda_backend machine_over(ordo::memory_resource& source) {
  return ordo::cuda_backend(source);
}
}  // namespace
