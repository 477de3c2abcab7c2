#pragma once
#include <vector>

#include "ordo/machine.hpp"

/// The machines present here, the CPU first: its result is the others' oracle.
inline std::vector<ordo::device> devices() {
  std::vector<ordo::device> all{ordo::device::cpu};
  if (!ordo::gpus().empty()) all.push_back(ordo::device::gpu);
  return all;
}
