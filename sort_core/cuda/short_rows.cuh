#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/cuda/kernels/short_products.cuh"
#include "sort_core/cuda/runtime/launch.cuh"

namespace ordo::inline v0::cuda_detail {

/// Multiplies short rows.
/// @param longest  the largest number of entries or products of a row
template <class T>
void multiply_short(kernel_launcher& on, short_rows<T> const& rows, std::uint64_t longest) {
  if (rows.rows == 0) return;
  with_row_product<T>(longest, [&]<unsigned Lanes, unsigned Items>(row_product<T, Lanes, Items>) {
    using product = row_product<T, Lanes, Items>;
    constexpr std::size_t in_block = std::size_t(short_product_warps) * product::rows;
    launch<multiply_short_rows<T, Lanes, Items>>(on, blocks_for(rows.rows, in_block), short_product_threads,
                                                 in_block * product::stride, rows);
  });
}

/// Copies the sums of short rows to the places that begin at offsets[r].
template <class T>
void copy_short(kernel_launcher& on, short_rows<T> const& rows, std::uint64_t const* offsets, std::uint32_t* column, T* value) {
  if (rows.rows == 0) return;
  constexpr unsigned threads = 256;
  launch<copy_short_rows<T>>(on, blocks_for(rows.rows, threads / short_row_lanes), threads, 0, rows, offsets, column, value);
}

}  // namespace ordo::inline v0::cuda_detail
