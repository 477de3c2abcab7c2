#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/radix_key.hpp"
#include "tests/unit/guarded.hpp"
#include "tests/unit/inputs.hpp"

// Common parts of the tests of operations that are called through a machine.
namespace operations_tests {

template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Returns the message of the usage_error that f() throws, or "".
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (ordo::usage_error const& e) {
    return e.what();
  }
  return "";
}

/// A machine, with guarded arrays in its memory.
template <class Machine>
struct on_machine {
  Machine machine;

  template <class T>
  auto array(std::vector<T> const& values) {
    return with_backend(machine, [&](auto& backend) { return guarded(backend, values); });
  }
  template <class Array, class T>
  void check(Array const& array, std::vector<T> const& expected) {
    with_backend(machine, [&](auto&) {
      CHECK(same_bytes(array.values(), expected));
      CHECK(array.intact());
    });
  }
  /// Returns the maximum of temporary memory that run() takes.
  template <class Run>
  std::size_t memory_of(Run run) {
    machine.trim();
    static_cast<void>(machine.peak_memory());
    std::size_t const before = machine.peak_memory();
    run();
    return machine.peak_memory() - before;
  }
};

/// Returns the codes of keys in an order.
template <class K>
std::vector<std::uint64_t> codes_of(std::vector<K> const& keys, bool descending) {
  std::vector<std::uint64_t> codes;
  for (K const key : keys)
    codes.push_back(descending ? ordo::radix_key<K, ordo::sort_order::descending>::encode(key)
                               : ordo::radix_key<K>::encode(key));
  return codes;
}

}  // namespace operations_tests
