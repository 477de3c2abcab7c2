#pragma once
#include <cstdint>

#include "ordo/detail/fn.hpp"

/// Returns a number that looks independent of x (the finalizer of splitmix64), for inputs that both machines can compute.
ORDO_FN inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
