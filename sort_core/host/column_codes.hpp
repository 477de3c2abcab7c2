#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "sort_core/operations/rows.hpp"

// The codes of a column of rows, in loops that decide nothing for each row where the column has numbers.
namespace ordo::inline v0::host_detail {

/// Writes the bits of the items of a column from row `first` on.
template <class T>
void read_items(detail::packed_column const& column, std::size_t first, std::span<std::uint64_t> to) {
  unsigned char const* const from = column.values + first * column.stride;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = *reinterpret_cast<T const*>(from + i * column.stride);
}

/// Writes the codes of a column from row `first` on. Nulls have any code.
inline void write_codes(detail::packed_column const column, std::size_t first, std::span<std::uint64_t> to) {
  switch (column.is_string ? 0 : column.bytes) {
    case 1:
      read_items<std::uint8_t>(column, first, to);
      break;
    case 2:
      read_items<std::uint16_t>(column, first, to);
      break;
    case 4:
      read_items<std::uint32_t>(column, first, to);
      break;
    case 8:
      read_items<std::uint64_t>(column, first, to);
      break;
    default:
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = column.bits_at(first + i);
  }
  if (column.infinity == 0 && column.flip_negative == 0) {
    std::uint64_t const flip = column.flip, all = ~std::uint64_t{0} >> (64 - 8 * column.bytes);
    for (std::uint64_t& bits : to) bits = (bits ^ flip) & all;
  } else {
    for (std::uint64_t& bits : to) bits = column.encode(bits);
  }
}

}  // namespace ordo::inline v0::host_detail
