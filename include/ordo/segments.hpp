#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/detail/fn.hpp"
#include "ordo/detail/ranges.hpp"

#pragma GCC visibility push(default)

// Arguments of sorts: a range of bits of the keys, and the segments of an array.
namespace ordo::inline v0 {

/// The bits [begin, end) of a code that a sort compares; bit 0 is the lowest. An `end` above the width means the width. If the
/// range is empty, all keys are equal and nothing moves.
struct bit_range {
  unsigned begin = 0;
  unsigned end = ~0u;
};

/// Segments of an array. Segment s is [begin(s), end(s)). Segments have any lengths, 0 included, come in any order, and must
/// not overlap. Items between them (holes) are not written, though a GPU may read them. Use segments_from_offsets for adjacent
/// segments, and uniform_segments, which needs no array, for segments of one length.
template <class Offset>
struct segment_list {
  std::span<Offset const> begins, ends;
  /// An upper bound on the length of the segments. A known bound saves temporary memory and launches on a GPU.
  std::size_t max_length = ~std::size_t{0};
  /// If uniform_length is not 0: `count` adjacent segments of this length, from position 0. begins and ends are empty.
  std::size_t uniform_length = 0, count = 0;

  [[nodiscard]] ORDO_FN std::size_t size() const { return uniform_length != 0 ? count : begins.size(); }
  [[nodiscard]] ORDO_FN std::size_t begin(std::size_t s) const {
    return uniform_length != 0 ? s * uniform_length : std::size_t(begins.data()[s]);
  }
  [[nodiscard]] ORDO_FN std::size_t end(std::size_t s) const {
    return uniform_length != 0 ? (s + 1) * uniform_length : std::size_t(ends.data()[s]);
  }
};

/// Returns the adjacent segments [offsets[s], offsets[s + 1]). Offsets are signed or unsigned integers of 32 or 64 bits in the
/// machine's memory: a std::vector, std::array, C array or span of them, const or not. The list refers to them. A negative
/// offset counts as the unsigned number of the same bits, which lies after the items of the array.
template <detail::offset_array Offsets>
segment_list<detail::offset_of<Offsets>> segments_from_offsets(Offsets&& offsets, std::size_t max_length = ~std::size_t{0}) {
  auto const all = detail::as_offsets(offsets);
  if (all.empty()) return {};
  return {all.first(all.size() - 1), all.last(all.size() - 1), max_length};
}

/// Returns the segments [begins[s], ends[s]), which may leave holes. Begins and ends have one width.
template <detail::offset_array Begins, detail::offset_array Ends>
requires std::same_as<detail::offset_of<Begins>, detail::offset_of<Ends>> segment_list<detail::offset_of<Begins>>
segments_from_bounds(Begins&& begins, Ends&& ends, std::size_t max_length = ~std::size_t{0}) {
  return {detail::as_offsets(begins), detail::as_offsets(ends), max_length};
}

/// Returns `count` adjacent segments of `length` items each.
inline segment_list<std::size_t> uniform_segments(std::size_t count, std::size_t length) {
  if (length == 0) return {};
  return {{}, {}, length, length, count};
}

/// The maximum length of an array that array_sort sorts stably on every machine. In longer arrays, the order of values with
/// equal keys depends on the machine (see Backend).
inline constexpr std::size_t max_stable_array_length = 4096;

namespace detail {
/// Returns `bits` limited to the width of K, or {e, e} if the range is empty.
template <class K>
constexpr bit_range clipped(bit_range bits) {
  unsigned const width = 8 * sizeof(K), end = bits.end < width ? bits.end : width;
  return {bits.begin < end ? bits.begin : end, end};
}

/// Returns a word with ones at `bits`, which must be limited to the width of K.
template <class K>
constexpr K bit_mask(bit_range bits) {
  if (bits.begin >= bits.end) return 0;
  return K(K(K(~K{0}) >> (8 * sizeof(K) - (bits.end - bits.begin))) << bits.begin);
}
}  // namespace detail

}  // namespace ordo::inline v0
#pragma GCC visibility pop
