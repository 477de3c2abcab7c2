#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/detail/fn.hpp"

// What a sort is asked to look at: some bits of its keys, some segments of its array.
namespace ordo {

/// The bits of a key that a sort looks at: [begin, end), bit 0 the lowest. `end` above the key's width means all of it. To a
/// range that is empty, or ends before it begins, all keys are equal: nothing moves.
struct bit_range {
  unsigned begin = 0;
  unsigned end = ~0u;
};

/// Segments of an array: segment s is [begin(s), end(s)). Any lengths, 0 included, in any order; segments must not overlap;
/// what lies between them (holes) is not written, though a GPU may read it. For segments that touch, pass one array of offsets
/// with segments_from_offsets; for segments of one length, uniform_segments, which needs no array at all.
template <class Offset>
struct segment_list {
  std::span<Offset const> begins, ends;
  /// No segment is longer than this. A caller who knows a bound saves the GPU temporary memory and launches.
  std::size_t max_length = ~std::size_t{0};
  /// Where not 0: `count` segments of this length, one behind the other from 0 on; begins and ends are empty.
  std::size_t uniform_length = 0, count = 0;

  [[nodiscard]] ORDO_FN std::size_t size() const { return uniform_length != 0 ? count : begins.size(); }
  [[nodiscard]] ORDO_FN std::size_t begin(std::size_t s) const {
    return uniform_length != 0 ? s * uniform_length : std::size_t(begins.data()[s]);
  }
  [[nodiscard]] ORDO_FN std::size_t end(std::size_t s) const {
    return uniform_length != 0 ? (s + 1) * uniform_length : std::size_t(ends.data()[s]);
  }
};

/// The segments [offsets[s], offsets[s + 1]).
template <class Offset>
segment_list<Offset> segments_from_offsets(std::span<Offset const> offsets, std::size_t max_length = ~std::size_t{0}) {
  if (offsets.empty()) return {};
  return {offsets.first(offsets.size() - 1), offsets.last(offsets.size() - 1), max_length};
}

/// The segments [begins[s], ends[s]), which may leave holes.
template <class Offset>
segment_list<Offset> segments_from_bounds(std::span<Offset const> begins, std::span<Offset const> ends,
                                          std::size_t max_length = ~std::size_t{0}) {
  return {begins, ends, max_length};
}

/// `count` segments of `length` items each, one behind the other.
inline segment_list<std::size_t> uniform_segments(std::size_t count, std::size_t length) {
  if (length == 0) return {};
  return {{}, {}, length, length, count};
}

/// array_sort keeps the order of equal keys' values in arrays of up to so many items, on every machine. Beyond, their order
/// depends on the machine (see Backend).
inline constexpr std::size_t max_stable_array_length = 4096;

namespace detail {
/// `bits` within a key's width; {e, e} if they are none.
template <class K>
constexpr bit_range clipped(bit_range bits) {
  unsigned const width = 8 * sizeof(K), end = bits.end < width ? bits.end : width;
  return {bits.begin < end ? bits.begin : end, end};
}

/// Ones at `bits`, which must be clipped.
template <class K>
constexpr K mask_of(bit_range bits) {
  if (bits.begin >= bits.end) return 0;
  return K(K(K(~K{0}) >> (8 * sizeof(K) - (bits.end - bits.begin))) << bits.begin);
}
}  // namespace detail

}  // namespace ordo
