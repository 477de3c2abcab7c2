#pragma once
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"

namespace ordo::inline v0 {

/// A Backend that selects from many segments without a sort. It has one more operation:
///
///   select_smallest(code, segments, k, capacity, rows, ends)
///                                   Writes to rows[s * capacity, ends[s]), in ascending order, positions of items of segment s:
///                                   all of them if they are at most `capacity`; else at least k and at most `capacity`, among
///                                   them the first k in the order of (code(i), i). k is at most `capacity`, and code(i) is an
///                                   unsigned number.
template <class B>
concept selects_from_segments = Backend<B> &&
    requires(B& b, std::uint32_t k, detail::probe f, segment_list<std::uint32_t> s, std::span<std::uint32_t> rows,
             std::span<std::uint64_t> ends) {
  b.select_smallest(f, s, k, k, rows, ends);
};

}  // namespace ordo::inline v0
