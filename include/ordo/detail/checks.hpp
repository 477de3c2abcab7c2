#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ordo/detail/ranges.hpp"
#include "ordo/segments.hpp"

#pragma GCC visibility push(default)

// Checks of arguments that cost nothing: lengths, widths, and the properties of segments that the host knows. Each throws
// usage_error before anything is read or written.
namespace ordo::inline v0::detail {

struct sort_task;

/// Types of an index that a sort writes.
template <class Index>
concept index_type = position_type<Index> && !std::is_const_v<Index>;

/// Checks that an array that belongs to n keys has n items.
void check_length(char const* array, char const* where, std::size_t length, std::size_t n);

/// Checks that an index type of `index_bytes` bytes can hold the positions of n keys.
void check_index_width(std::size_t n, std::size_t index_bytes, bool is_signed);

/// The properties of segments in an array of n items that the host knows, even if their offsets lie elsewhere.
struct known_segments {
  std::size_t n, begins, ends;  // length of the array; numbers of begins and ends
  bool null;                    // the offsets are null
  std::size_t max_length, uniform_length, count;
};
void check_known(known_segments const& segments);

template <class Offset>
void check_known_segments(std::size_t n, segment_list<Offset> const& segments) {
  check_known({n, segments.begins.size(), segments.ends.size(),
               segments.begins.data() == nullptr || segments.ends.data() == nullptr, segments.max_length,
               segments.uniform_length, segments.count});
}

/// Checks all that the host knows of a task's arguments.
void check_arguments(sort_task const& task);

/// Checks that n items of `bytes` bytes can be an array: the sums of all that a sort allocates for it fit 64 bits.
void check_extent(char const* array, std::size_t n, std::size_t bytes);
/// Checks the lengths from which memory_for computes the memory of a task.
void check_extents(sort_task const& task);

/// Throws usage_error with the fault of segment `number`, which is [begin, end), in an array of n items.
/// @param signed_bytes  the width of offsets whose type is signed, 4 or 8: a negative one is printed as such; else 0
[[noreturn]] void refuse_segment(std::uint64_t number, std::uint64_t begin, std::uint64_t end, std::size_t n,
                                 std::size_t max_length, std::size_t signed_bytes = 0);
/// Throws usage_error for a segment that overlaps one that begins at its begin or later.
[[noreturn]] void refuse_overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t other_begin, std::uint64_t other_end);

}  // namespace ordo::inline v0::detail
#pragma GCC visibility pop
