#pragma once
#include <cstddef>
#include <span>
#include <type_traits>

#include "ordo/backend.hpp"

namespace ordo::inline v0 {

/// Writes to out[s] the value of neutral op in(s, i) op ... over the items i of segment s. `op` is associative and commutative.
/// in(s, i) is called once for each item, and may write what belongs to it. T is trivially copyable, of a multiple of 4 bytes.
/// On a GPU a warp works on each segment, so that neighbouring lanes read neighbouring items.
template <Backend B, class Offset, class In, class T, class Op>
void reduce_segments(B& backend, segment_list<Offset> const& segments, In in, T neutral, Op op,
                     std::span<std::type_identity_t<T>> out) {
  if constexpr (requires { backend.reduce_segments(segments, in, neutral, op, out); }) {
    backend.reduce_segments(segments, in, neutral, op, out);
  } else {
    backend.each(segments.size(), [=](std::size_t s) {
      T all = neutral;
      for (std::size_t i = segments.begin(s), end = segments.end(s); i < end; ++i) all = op(all, in(s, i));
      out[s] = all;
    });
  }
}

}  // namespace ordo::inline v0
