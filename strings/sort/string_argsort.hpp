#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ordo/machine.hpp"

namespace ordo::inline v0::strings::detail {

/// Writes the numbers of strings in the order of their bytes, each an ordinary one, and sets repeats[i] to 1 where the i-th
/// string in order equals the one before, else to 0. Stable, also in reverse. On the CPU; Index is std::uint32_t or
/// std::uint64_t.
template <class Index>
void argsort_strings(machine_options const& options, std::span<std::string_view const> strings, bool reverse,
                     std::span<Index> order, std::span<std::uint8_t> repeats);

/// Does the same for strings of UCS4 in rows of `length` units, one for each item of `order`. Zeros fill up a string, as in
/// NumPy.
template <class Index>
void argsort_ucs4(machine_options const& options, std::uint32_t const* units, std::size_t length, bool reverse,
                  std::span<Index> order, std::span<std::uint8_t> repeats);

}  // namespace ordo::inline v0::strings::detail
