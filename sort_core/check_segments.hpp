#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/backend.hpp"
#include "ordo/detail/checks.hpp"
#include "ordo/segments.hpp"
#include "sort_core/functors.hpp"

// Checks of segments by their offsets, in the memory of a Backend. One pass over the offsets; segments that do not ascend are
// sorted besides, to see whether any two overlap.
namespace ordo::detail {

/// The state of one segment. The minimum over all segments decides: the number of the first bad one, or `unordered`, or `good`.
template <class Segments>
struct state_of_segment {
  static constexpr std::uint64_t unordered = std::uint64_t{1} << 63, good = ~std::uint64_t{0};
  Segments segments;
  std::size_t n;
  ORDO_FN std::uint64_t operator()(std::size_t s) const {
    // Without branches: segments may be short, and many.
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

/// The number of a segment that begins before the one in front of it ends, in ascending order of begins; else all ones.
struct overlaps {
  std::uint64_t const *begins, *ends;
  ORDO_FN std::uint64_t operator()(std::size_t i) const {
    return i != 0 && ends[i - 1] > begins[i] ? std::uint64_t{i} : ~std::uint64_t{0};
  }
};

/// Checks that every segment ends where it begins or after, within n items, and is no longer than segments.longest.
/// @returns whether each begins where the one before it ends or after, so that none overlap
/// @throws usage_error  naming the first bad one
template <Backend B, class Segments>
bool check_bounds(B& machine, std::size_t n, Segments const& segments) {
  using state = state_of_segment<Segments>;
  if (segments.uniform_length != 0) return true;
  std::uint64_t const least = machine.reduce(segments.size(), state{segments, n}, state::good, minimum{});
  if (least >= state::unordered) return least == state::good;
  auto const bounds = machine.template buffer<std::uint64_t>(2);
  machine.each(1, write_bounds<Segments>{segments, std::size_t(least), false, bounds.data(), bounds.data() + 1});
  std::uint64_t const begin = value_at(machine, bounds.span(), 0), end = value_at(machine, bounds.span(), 1);
  refuse_segment(least, begin, end, n, segments.max_length);
}

/// Checks that no two segments of any order overlap. Takes 32 bytes a segment. @throws usage_error  naming two that do
template <Backend B, class Segments>
void check_overlap(B& machine, Segments const& segments) {
  std::size_t const count = segments.size();
  auto const begins = machine.template buffer<std::uint64_t>(count);
  auto const ends = machine.template buffer<std::uint64_t>(count);
  machine.each(count, write_bounds<Segments>{segments, 0, true, begins.data(), ends.data()});
  machine.radix_sort(begins.span(), ends.span());
  std::uint64_t const at = machine.reduce(count, overlaps{begins.data(), ends.data()}, ~std::uint64_t{0}, minimum{});
  if (at == ~std::uint64_t{0}) return;
  auto const begin = [&](std::size_t i) { return value_at(machine, begins.span(), i); };
  auto const end = [&](std::size_t i) { return value_at(machine, ends.span(), i); };
  refuse_overlap(begin(at - 1), end(at - 1), begin(at), end(at));
}

}  // namespace ordo::detail
