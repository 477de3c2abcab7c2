#pragma once
#include <tuple>

#include "sort_core/host/host.hpp"
#include "tests/catch.hpp"

/// A test of every machine in `machines`, called by the machine's name and tagged with it.
#define MACHINE_TEST(name, tags) TEMPLATE_LIST_TEST_CASE(name " (host)", tags "[host]", machines)

namespace {
/// The machines that the templated tests of this translation unit run on.
using machines = std::tuple<ordo::host>;
template <class B>
bool present() {
  return true;
}
using plain_memory = ordo::host_memory;
inline ordo::host machine_over(ordo::memory& source) {
  return ordo::host(0, source);
}
}  // namespace
