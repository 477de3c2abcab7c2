#pragma once
#include <cstdint>

#include "ordo/detail/fn.hpp"

/// A number that shows no trace of x (the finalizer of splitmix64): inputs that both machines make, and need not store.
ORDO_FN inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
