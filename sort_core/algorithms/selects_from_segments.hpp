#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ordo/backend.hpp"

namespace ordo::inline v0 {

/// A Backend that selects from segments without a sort. It has two more operations, and a bound on the memory of the second:
///
///   select_smallest(code, segments, k, capacity, rows, ends)
///                                   Writes to rows[s * capacity, ends[s]), in ascending order, positions of items of segment
///                                   s: all of them if they are at most `capacity`; else at least k and at most `capacity`,
///                                   among them the first k in the order of (code(i), i). k is at most `capacity`, and code(i)
///                                   is an unsigned number.
///   select_top(code, segments, n, longest, k, sorted, write)
///                                   Calls write(s * k + j, i, begin(s)) for item j of the first k of each segment s, in the
///                                   order of (code(i), i) or, unless `sorted`, of i, which is the item's position. Returns
///                                   false if it has done nothing, as a sort of all segments is faster. The segments have no
///                                   more than n items in all, and `longest` each.
///   select_top_memory(n, segments, longest, k, key_bytes)
///                                   Returns the bytes that select_top takes from the pool, or nothing if it does nothing.
template <class B>
concept selects_from_segments = Backend<B> && requires(B& b, std::uint32_t k, detail::probe f, segment_list<std::uint32_t> s,
                                                       std::span<std::uint32_t> rows, std::span<std::uint64_t> ends) {
  b.select_smallest(f, s, k, k, rows, ends);
  { b.select_top(f, s, std::size_t{}, std::size_t{}, std::size_t{}, true, f) } -> std::same_as<bool>;
  {
    b.select_top_memory(std::size_t{}, std::size_t{}, std::size_t{}, std::size_t{}, std::size_t{})
    } -> std::same_as<std::optional<std::size_t>>;
};

}  // namespace ordo::inline v0
