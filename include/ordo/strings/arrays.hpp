#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/detail/config.hpp"
#include "ordo/machine.hpp"
#include "ordo/strings.hpp"
#include "ordo/strings/order.hpp"

#pragma GCC visibility push(default)

// Sorted lines as plain arrays, for columns, and sorting of strings in the layout of Arrow.
namespace ordo::inline v0::strings {

/// n sorted strings. The k-th of them is string permutation[k] of the input, counted from 0. Index is std::uint32_t or
/// std::uint64_t.
template <class Index>
struct order_arrays {
  std::vector<Index> permutation;      // n: a permutation of [0, n)
  std::vector<Index> starts, lengths;  // n each, bytes: where the k-th string is in the input
  // n, bytes: common_prefixes[0] = 0, common_prefixes[k] the length of the common prefix of the k-th string and the one before
  std::vector<Index> common_prefixes;
  machine_choice machine;         // the machine that sorted, and why
  std::size_t device_memory = 0;  // the most GPU memory in use at a time, in bytes
};

/// Returns sorted lines as arrays. Takes O(bytes of common prefixes + n log n) time and at most 5 entries of memory a line.
/// @param threads  0 for all
/// @throws usage_error if the text is too long for Index
template <class Index = std::uint64_t>
ORDO_API order_arrays<Index> to_arrays(sorted_lines const& lines, unsigned threads = 0);

/// Sorts strings that are stored end to end, stably: string i is [offsets[i], offsets[i + 1]) of `bytes`. There are n + 1
/// offsets, or none for no strings. Every byte is an ordinary one. Offset is a signed or unsigned integer of 32 or 64 bits. The
/// strings are copied, with a byte between two that occurs in none: one more byte a string, or twice as many bytes if every
/// byte below 0x80 occurs.
/// @param options  `delimiter` is not used; `memory` includes the copy
/// @throws usage_error for offsets that fall or leave `bytes`, for an Index that is too narrow, and for keys or a locale if
/// every byte below 0x80 occurs; what sort() of a text throws
template <class Index = std::uint64_t, class Offset>
ORDO_API order_arrays<Index> sort(std::string_view bytes, std::span<Offset const> offsets, sort_options const& options = {});

}  // namespace ordo::inline v0::strings
#pragma GCC visibility pop
