#pragma once
#include <vector>

#include "ordo/machine.hpp"

/// Returns the machines present, the CPU first: its result is the oracle for the others.
inline std::vector<ordo::device> devices() {
  std::vector<ordo::device> all{ordo::device::cpu};
  if (!ordo::gpus().empty()) all.push_back(ordo::device::gpu);
  return all;
}
