#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/backend.hpp"

namespace ordo::inline v0 {

/// A thread that works alone, with the calls of threads that work on an item together. All lanes must make each of these calls.
struct one_lane {
  static constexpr unsigned count = 1;
  /// Returns the number of this lane, below `count`.
  [[nodiscard]] ORDO_FN static unsigned rank() { return 0; }
  /// Returns true if x is true in any lane.
  [[nodiscard]] ORDO_FN static bool any(bool x) { return x; }
  /// Returns the number of lanes in which x is true.
  [[nodiscard]] ORDO_FN static unsigned count_true(bool x) { return x ? 1 : 0; }
  /// Returns the number of lanes before the first one in which x is true, or `count`.
  [[nodiscard]] ORDO_FN static unsigned count_before(bool x) { return x ? 0 : 1; }
  /// Returns a bit for each lane in which x is true.
  [[nodiscard]] ORDO_FN static unsigned votes(bool x) { return x ? 1 : 0; }
  /// Returns the sum of x over all lanes; modulo 2^32.
  [[nodiscard]] ORDO_FN static std::uint32_t sum(std::uint32_t x) { return x; }
  /// Returns the sum of x over this lane and those before it; modulo 2^32.
  [[nodiscard]] ORDO_FN static std::uint32_t inclusive_sum(std::uint32_t x) { return x; }
  /// Returns the bitwise or of x over all lanes.
  [[nodiscard]] ORDO_FN static std::uint64_t either(std::uint64_t x) { return x; }
  /// Lets each lane see what the others have written before.
  ORDO_FN static void sync() {}
  /// Returns x of the lane of that number, below `count`. T is trivially copyable, of a multiple of 4 bytes.
  template <class T>
  [[nodiscard]] ORDO_FN static T of(T const& x, unsigned /*rank*/) {
    return x;
  }
  /// Returns join(f(half, 0), f(half, 1)), where each half of the lanes makes one of the calls, at the same time. The lanes of
  /// both must make each call of `half`.
  template <class F, class Join>
  [[nodiscard]] ORDO_FN auto both(F f, Join join) const {
    auto const first = f(*this, 0U);
    return join(first, f(*this, 1U));
  }
};

/// A function that lanes call with memory that they share: its member type lane_memory, uninitialised, which a GPU has in its
/// shared memory. One lane needs none.
template <class F>
concept has_lane_memory = requires { typename F::lane_memory; };

/// Calls f(lanes, i) for each i in [0, n), in any order. On a GPU a warp makes each call, for work that waits for memory: its
/// lanes load at the same time; if f has lane memory, the call is f(lanes, i, memory). The CPU calls it with one_lane.
template <Backend B, class F>
void each_by_lanes(B& backend, std::size_t n, F f) {
  if constexpr (requires { backend.each_by_lanes(n, f); }) {
    backend.each_by_lanes(n, f);
  } else if constexpr (has_workers<B>) {
    if (n == 1) return f(one_lane{}, std::size_t{0});  // threads would take a third of the time of a draft
    backend.each_worker(n, [&](auto&, std::size_t i) { f(one_lane{}, i); });
  } else {
    backend.each(n, [=](std::size_t i) { f(one_lane{}, i); });
  }
}

}  // namespace ordo::inline v0
