#pragma once
#include <tuple>

#include "sort_core/cuda/cuda.cuh"
#include "sort_core/machine.hpp"
#include "tests/catch.hpp"

namespace {
using machines = std::tuple<ordo::cuda>;
template <class B>
bool present() {
  return !ordo::gpus().empty();
}
}  // namespace
