#pragma once
#include <tuple>

#include "sort_core/host/host.hpp"
#include "tests/catch.hpp"

namespace {
/// The machines that the templated tests of this translation unit run on.
using machines = std::tuple<ordo::host>;
template <class B>
bool present() {
  return true;
}
}  // namespace
