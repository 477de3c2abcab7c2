#pragma once
#include <cstddef>
#include <cstdint>

#include "ordo/sparse.hpp"

namespace ordo::inline v0::detail {

/// Rows of a product of sparse matrices with at most this many entries and products of two entries are short.
inline constexpr std::uint64_t max_short_row = 256;

/// Consecutive short rows, and memory for their sums.
template <class T>
struct short_rows {
  csr_view<T> a, b;
  std::size_t first, rows;      // rows [first, first + rows) of a
  std::uint64_t const* to_row;  // products before each of these rows, and after the last one
  std::uint32_t* column;        // the sums of a row are written to the place of its products
  T* value;
  std::uint32_t* sums;  // number of sums of each row
};

/// True for backends that multiply short rows without writing their products to memory.
template <class B, class T>
concept multiplies_short_rows = requires(B& backend, short_rows<T> const& rows) {
  backend.multiply_short_rows(rows, std::uint64_t{});
};

}  // namespace ordo::inline v0::detail
