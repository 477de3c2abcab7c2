#pragma once
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include "ordo/detail/buffer.hpp"
#include "ordo/detail/ranges.hpp"
#include "ordo/machine.hpp"

#pragma GCC visibility push(default)

/// Products of sparse matrices in rows (CSR), on an ordo::cpu or an ordo::gpu. Machines and errors are as in sort.hpp.
namespace ordo::inline v0 {

/// A sparse matrix in the machine's memory. Row r has the entries [offsets[r], offsets[r + 1]): in any order of columns, with
/// any column any number of times, or none. The view refers to its arrays; csr() makes one of arrays of any integers. T is
/// float or double, Offset a std::uint32_t or std::uint64_t.
template <class T, class Offset = std::uint64_t>
struct csr_view {
  std::size_t rows = 0, columns = 0;              // at most 2^32 columns
  std::span<Offset const> offsets;                // rows + 1, from 0 to the number of entries
  std::span<std::uint32_t const> column_indices;  // column of each entry, below `columns`
  std::span<T const> values;                      // value of each entry

  [[nodiscard]] std::size_t num_entries() const noexcept { return column_indices.size(); }
};

/// A sparse matrix that owns its arrays, which are in the machine's memory and come from its pool. Each row's columns ascend,
/// and none occurs twice. Movable, not copyable.
///
/// It is freed before the machine, and not while another thread is in a call of it. On a gpu that happens in the order of the
/// machine's own stream, not of a view's (gpu::with_stream); if that is a default stream of CUDA, the device must be current.
template <class T>
struct csr_matrix {
  std::size_t rows = 0, columns = 0;
  buffer<std::uint64_t> offsets;
  buffer<std::uint32_t> column_indices;
  buffer<T> values;

  [[nodiscard]] std::size_t num_entries() const noexcept { return column_indices.size(); }
  [[nodiscard]] csr_view<T> view() const noexcept {
    return {rows, columns, offsets.span(), column_indices.span(), values.span()};
  }
};

namespace detail {

template <class R>
concept column_array = offset_array<R> && sizeof(element_of<R>) == 4;
template <class R>
concept csr_values = array_argument<R> &&
    (std::is_same_v<std::remove_const_t<element_of<R>>, float> || std::is_same_v<std::remove_const_t<element_of<R>>, double>);

/// A csr_view with offsets of either width.
template <class T>
struct csr_argument {
  std::size_t rows, columns;
  void const* offsets;
  std::size_t num_offsets, offset_bytes;
  std::span<std::uint32_t const> column_indices;
  std::span<T const> values;

  template <class Offset>
  explicit csr_argument(csr_view<T, Offset> const& view)
      : rows(view.rows),
        columns(view.columns),
        offsets(view.offsets.data()),
        num_offsets(view.offsets.size()),
        offset_bytes(sizeof(Offset)),
        column_indices(view.column_indices),
        values(view.values) {
    static_assert(std::is_same_v<Offset, std::uint32_t> || std::is_same_v<Offset, std::uint64_t>);
  }
};

/// Implementation of multiply.
csr_matrix<float> multiply(machine& on, csr_argument<float> const& a, csr_argument<float> const& b);
csr_matrix<double> multiply(machine& on, csr_argument<double> const& a, csr_argument<double> const& b);
/// Copies a matrix of multiply to arrays of the caller in the machine's memory, unless these are null, and frees it while the
/// machine's device is current.
void release_csr(machine& on, csr_matrix<float>& from, std::uint64_t* offsets, std::uint32_t* column_indices, float* values);
void release_csr(machine& on, csr_matrix<double>& from, std::uint64_t* offsets, std::uint32_t* column_indices, double* values);

}  // namespace detail

/// Returns a view of a matrix. Offsets are signed or unsigned integers of 32 or 64 bits, column indices of 32 bits: arrays of
/// any kind (sort.hpp), const or not. A negative number counts as the unsigned number of the same bits.
template <detail::offset_array Offsets, detail::column_array Columns, detail::csr_values Values>
csr_view<std::remove_const_t<detail::element_of<Values>>, detail::offset_of<Offsets>> csr(std::size_t rows, std::size_t columns,
                                                                                          Offsets&& offsets,
                                                                                          Columns&& column_indices,
                                                                                          Values&& values) {
  return {rows, columns, detail::as_offsets(offsets), detail::as_offsets(column_indices), detail::as_span(values)};
}

/// Returns the product of two sparse matrices: an entry for each row and column for which a product of two entries exists, also
/// where these cancel. Products of one row and column are added in the order of the first matrix's entries, and within one of
/// these in the order of the second's. The same input gives the same bytes on every machine, except signs and payloads of NaNs.
///
/// The products of a row are made, sorted by column as a segment, and added. All rows are worked on together if the machine has
/// memory for their products: 33 bytes each for float, 45 for double. Otherwise they are worked on in parts, of at least one
/// row each, which are joined at the end; this takes half of the result's memory again, or two thirds for double. If a machine
/// does not know its free memory (a cpu without a limit, a gpu with an allocator of the caller), a part has at most 2^26
/// products, or one row. The result counts as memory in use until it is freed. On a gpu, if no row has more than 256 entries
/// of the first matrix or 256 products, lanes of a warp sort and add the products of a row in registers, and a product takes
/// no more than the 8 or 12 bytes of its sum.
///
/// Offsets and columns are checked on either machine, in one pass. The call waits for the device, and cannot be captured in a
/// CUDA graph.
/// @param a, b  matrices in the machine's memory, which may be the same
/// @throws usage_error  if a.columns is not b.rows; for arrays of wrong lengths, null pointers and misaligned arrays; for
///     offsets that do not begin at 0, descend, or do not end at the number of entries; for a column outside of its matrix
/// @throws out_of_memory  if the result or the products of one row do not fit
/// @code
///   auto const a = ordo::csr(rows, inner, device_offsets, device_columns, device_floats);
///   ordo::csr_matrix<float> const square = ordo::multiply(gpu, a, a);
/// @endcode
/// (Expansion, sorting and compression of Bell, Dalton and Olson, SIAM J. Sci. Comput. 2012, with the segmented sort of Hou et
/// al., ICS'17, section 5.2.)
template <class T, class OffsetA, class OffsetB>
csr_matrix<T> multiply(machine& on, csr_view<T, OffsetA> const& a, csr_view<T, OffsetB> const& b) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "values are of type float or double");
  return detail::multiply(on, detail::csr_argument<T>(a), detail::csr_argument<T>(b));
}

}  // namespace ordo::inline v0
#pragma GCC visibility pop
