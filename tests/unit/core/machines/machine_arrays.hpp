#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "ordo/radix_key.hpp"
#include "tests/unit/guarded.hpp"
#include "tests/unit/inputs.hpp"

// Common parts of the tests of sorts and operations that are called through a machine.

/// Compares bytes, because NaNs compare unequal to themselves.
template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Returns the message of the usage_error that f() throws, or "".
template <class F>
std::string refusal_of(F f) {
  try {
    f();
  } catch (ordo::usage_error const& e) {
    return e.what();
  }
  return "";
}

/// Returns the codes of keys in an order.
template <class K>
std::vector<std::uint64_t> codes_of(std::vector<K> const& keys, bool descending) {
  std::vector<std::uint64_t> codes;
  for (K const key : keys)
    codes.push_back(descending ? ordo::radix_key<K, ordo::sort_order::descending>::encode(key)
                               : ordo::radix_key<K>::encode(key));
  return codes;
}

/// A machine, with guarded arrays in its memory.
template <class Machine>
struct machine_arrays {
  Machine machine{};

  template <class T>
  auto array(std::vector<T> const& values) {
    return with_backend(machine, [&](auto& backend) { return guarded(backend, values); });
  }
  /// Checks that an array has the bytes of `expected`, and that nothing around it was written.
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

/// Segments of some lengths with holes between them.
struct some_segments {
  std::size_t n = 0;
  std::vector<std::size_t> begins, ends;

  explicit some_segments(std::vector<std::size_t> const& lengths) {
    for (std::size_t const length : lengths) {
      n += begins.size() % 3;  // a hole
      begins.push_back(n);
      ends.push_back(n += length);
    }
    n += 2;
  }
  template <class Offset>
  [[nodiscard]] static std::vector<Offset> as(std::vector<std::size_t> const& offsets) {
    return {offsets.begin(), offsets.end()};
  }
};

/// Sorts positions stably, within each segment, by before(a, b) of positions. Others stay.
template <class Before>
std::vector<std::uint32_t> stably_sorted(some_segments const& where, Before before) {
  std::vector<std::uint32_t> order(where.n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t s = 0; s < where.begins.size(); ++s)
    std::stable_sort(order.begin() + std::ptrdiff_t(where.begins[s]), order.begin() + std::ptrdiff_t(where.ends[s]), before);
  return order;
}
template <class Before>
std::vector<std::uint32_t> stably_sorted(std::size_t n, Before before) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

template <class T>
std::vector<T> taken(std::vector<T> const& from, std::vector<std::uint32_t> const& positions) {
  std::vector<T> to(positions.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[positions[i]];
  return to;
}
