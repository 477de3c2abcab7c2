#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/detail/checks.hpp"
#include "ordo/segments.hpp"
#include "sort_core/algorithms/functors.hpp"

// Checks of segments by their offsets, in the memory of a Backend, in one pass over the offsets. If segments do not ascend,
// their bounds are also sorted, to find overlaps.
namespace ordo::inline v0::detail {

/// Computes the state of one segment. The minimum over all segments is the number of the first bad one, `unordered` or `good`.
template <class Segments>
struct state_of_segment {
  static constexpr std::uint64_t unordered = std::uint64_t{1} << 63, good = ~std::uint64_t{0};
  Segments segments;
  std::size_t n;
  ORDO_FN std::uint64_t operator()(std::size_t s) const {
    // Branch-free, because segments may be small and many.
    std::size_t const begin = segments.begin(s), end = segments.end(s), end_before = segments.end(s - (s != 0));
    bool const bad = (begin > end) | (end > n) | (end - begin > segments.max_length);
    bool const falls = (s != 0) & (end_before > begin);
    return bad ? s : falls ? unordered : good;
  }
};

/// Writes the bounds of segments from the `first` on. Empty segments come last when the begins are sorted.
template <class Segments>
struct write_bounds {
  Segments segments;
  std::size_t first;
  bool empty_last;
  std::uint64_t *begins, *ends;
  ORDO_FN void operator()(std::size_t i) const {
    std::size_t const s = first + i;
    bool const hidden = empty_last && segments.begin(s) == segments.end(s);
    begins[i] = hidden ? ~std::uint64_t{0} : segments.begin(s);
    ends[i] = hidden ? ~std::uint64_t{0} : segments.end(s);
  }
};

/// Computes the number of a segment that begins before its predecessor ends, in ascending order of begins; else all ones.
struct overlaps {
  std::uint64_t const *begins, *ends;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    return i != 0 && ends[i - 1] > begins[i] ? std::uint64_t{i} : ~std::uint64_t{0};
  }
};

/// Checks that each segment ends at or after its begin, lies within n items, and has at most segments.longest items.
/// @param signed_bytes  see refuse_segment
/// @returns true if each segment begins at or after the end of the one before it, so that none overlap
/// @throws usage_error  naming the first bad segment
template <Backend B, class Segments>
bool check_bounds(B& backend, std::size_t n, Segments const& segments, std::size_t signed_bytes = 0) {
  using state = state_of_segment<Segments>;
  if (segments.uniform_length != 0) return true;
  std::uint64_t const first_bad = backend.reduce(segments.size(), state{segments, n}, state::good, minimum{});
  if (first_bad >= state::unordered) return first_bad == state::good;
  auto const bounds = backend.template buffer<std::uint64_t>(2);
  backend.each(1, write_bounds<Segments>{segments, std::size_t(first_bad), false, bounds.data(), bounds.data() + 1});
  std::uint64_t const begin = value_at(backend, bounds.span(), 0), end = value_at(backend, bounds.span(), 1);
  refuse_segment(first_bad, begin, end, n, segments.max_length, signed_bytes);
}

/// Checks that no two segments overlap, in any order. Takes 32 bytes per segment. @throws usage_error  naming two that overlap
template <Backend B, class Segments>
void check_overlap(B& backend, Segments const& segments) {
  std::size_t const count = segments.size();
  auto const begins = backend.template buffer<std::uint64_t>(count);
  auto const ends = backend.template buffer<std::uint64_t>(count);
  backend.each(count, write_bounds<Segments>{segments, 0, true, begins.data(), ends.data()});
  backend.radix_sort(begins.span(), ends.span());
  std::uint64_t const at = backend.reduce(count, overlaps{begins.data(), ends.data()}, ~std::uint64_t{0}, minimum{});
  if (at == ~std::uint64_t{0}) return;
  auto const begin = [&](std::size_t i) { return value_at(backend, begins.span(), i); };
  auto const end = [&](std::size_t i) { return value_at(backend, ends.span(), i); };
  refuse_overlap(begin(at - 1), end(at - 1), begin(at), end(at));
}

}  // namespace ordo::inline v0::detail
