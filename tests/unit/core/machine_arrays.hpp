#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "tests/unit/guarded.hpp"
#include "tests/unit/inputs.hpp"

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
      auto const values = array.values();
      CHECK(values.size() == expected.size());
      CHECK((values.empty() || std::memcmp(values.data(), expected.data(), values.size() * sizeof(T)) == 0));
      CHECK(array.intact());
    });
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
