#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ordo/strings.hpp"

// Orders as plain arrays, for those who keep columns: of lines, and of strings that lie as Arrow lays them.
namespace ordo::strings {

/// n strings in order, the k-th of which is `places[k]` among those given, counted from 0. Index is std::uint32_t or
/// std::uint64_t.
template <class Index>
struct order_arrays {
  std::vector<Index> places;           // n: a permutation of [0, n)
  std::vector<Index> starts, lengths;  // n each, bytes: where in what was given the k-th lies
  // n, bytes: common_prefixes[0] = 0, common_prefixes[k] the length of what the k-th and the one before it begin with alike
  std::vector<Index> common_prefixes;
  machine_choice machine;         // which did the work, and why
  std::size_t device_memory = 0;  // bytes of GPU memory in use at most
};

/// Lines in order as arrays, made by `threads` threads, 0 for all there are: O(bytes of common prefixes + n log n), 5 entries a
/// line of memory at most. @throws usage_error if the text is too long for Index
template <class Index = std::uint64_t>
order_arrays<Index> arrays_of(sorted_lines const& lines, unsigned threads = 0);

/// Sorts strings that lie end to end: string i is [offsets[i], offsets[i + 1]) of `bytes`, of n + 1 offsets, or of none for no
/// strings. Every byte is an ordinary one. Equal strings keep their order. Offset is a signed or unsigned integer of 32 or 64
/// bits. The strings are copied, with a byte between any two that is in none of them: 1 byte a string more, or twice as many
/// where all bytes below 0x80 are in some.
/// @param how  `delimiter` is not looked at; `memory` counts the copy
/// @throws usage_error  offsets that fall or leave `bytes`, an Index too narrow; keys or a locale where all bytes below 0x80
/// are
///     in some string; and what sort() of a text throws
template <class Index = std::uint64_t, class Offset>
order_arrays<Index> sort(std::string_view bytes, std::span<Offset const> offsets, options const& how = {});

}  // namespace ordo::strings
