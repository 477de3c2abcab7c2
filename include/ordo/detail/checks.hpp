#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ordo/segments.hpp"

// Checks of arguments that cost nothing: lengths, widths, and what the host knows of segments. Each throws usage_error before
// anything is read or written.
namespace ordo::detail {

struct sort_task;

/// Positions of items: unsigned integers of 32 or 64 bits.
template <class Index>
concept index_type = std::unsigned_integral<Index> && !std::is_const_v<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8);

/// Checks that an array which goes with n keys is as long as these.
void check_length(char const* array, char const* where, std::size_t length, std::size_t n);

/// Checks that an index of so many bytes has room for the positions of n keys.
void check_index_width(std::size_t n, std::size_t index_bytes);

/// The properties of segments in an array of n items that the host knows, wherever their offsets lie.
struct known_segments {
  std::size_t n, begins, ends;  // the array's length; how many begins and ends there are
  bool null;                    // no offsets
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

/// Says what is wrong with segment [begin, end), which has that number, of n items.
[[noreturn]] void refuse_segment(std::uint64_t number, std::uint64_t begin, std::uint64_t end, std::size_t n,
                                 std::size_t max_length);
/// Says that a segment overlaps one that begins there or behind.
[[noreturn]] void refuse_overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t other_begin, std::uint64_t other_end);

}  // namespace ordo::detail
