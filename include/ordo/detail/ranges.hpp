#pragma once
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#pragma GCC visibility push(default)

// Arrays as arguments: any contiguous range of known size that does not own its data, or is an lvalue.
namespace ordo::inline v0::detail {

/// A std::vector, std::array or C array that is an lvalue, or a span of any kind. An rvalue that owns its data is excluded: a
/// machine may use the data after the call.
template <class R>
concept array_argument = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> && std::ranges::borrowed_range<R>;

/// The type of the elements, const if they are read only.
template <class R>
using element_of = std::remove_reference_t<std::ranges::range_reference_t<R>>;

template <array_argument R>
std::span<element_of<R>> as_span(R&& range) {
  return {std::ranges::data(range), std::size_t(std::ranges::size(range))};
}

/// Types of positions and offsets: integers of 32 or 64 bits, signed or not.
template <class T>
concept position_type = std::is_integral_v<T> && !std::is_volatile_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// An array of segment offsets.
template <class R>
concept offset_array = array_argument<R> && position_type<std::remove_const_t<element_of<R>>>;

/// The type in which offsets are stored in a segment_list: unsigned, of the same width.
template <class R>
using offset_of = std::conditional_t<sizeof(element_of<R>) == 4, std::uint32_t, std::uint64_t>;

template <offset_array R>
std::span<offset_of<R> const> as_offsets(R&& range) {
  auto const all = as_span(range);
  return {reinterpret_cast<offset_of<R> const*>(all.data()), all.size()};
}

}  // namespace ordo::inline v0::detail
#pragma GCC visibility pop
