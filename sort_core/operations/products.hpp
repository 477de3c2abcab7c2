#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "ordo/sparse.hpp"

// Products of sparse matrices on each machine, compiled once for float and double (sparse.cpp, sparse.cu).
namespace ordo::inline v0::detail {

/// Receives rows [first_row, first_row + part.rows) of a product.
template <class T>
using on_product_part = std::type_identity_t<std::function<void(std::size_t first_row, csr_matrix<T> part)>>;

/// Calls on_part for all rows of a product, in ascending order, in parts of at most `max_products` products of two entries, or
/// of one row; 0 means as memory allows. Arguments are checked as in multiply. Waits for the device.
template <class T>
void multiply_in_parts(cpu& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products,
                       on_product_part<T> const& on_part);
template <class T>
void multiply_in_parts(gpu& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products,
                       on_product_part<T> const& on_part);

/// Returns the whole product, made in such parts.
template <class T>
csr_matrix<T> multiply_whole(cpu& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products);
template <class T>
csr_matrix<T> multiply_whole(gpu& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products);

template <class T>
void release_csr(cpu& on, csr_matrix<T>& from, std::uint64_t* offsets, std::uint32_t* column_indices, T* values);
template <class T>
void release_csr(gpu& on, csr_matrix<T>& from, std::uint64_t* offsets, std::uint32_t* column_indices, T* values);

/// Checks all that the host knows of the arguments of a product: lengths, null pointers and alignment. @throws usage_error
template <class T>
void check_product(csr_argument<T> const& a, csr_argument<T> const& b);

/// Throws usage_error for a row of a matrix whose offsets are bad. `row` may be the number of rows, for the last offset.
[[noreturn]] void refuse_row(char const* matrix, std::uint64_t row, std::uint64_t rows, std::uint64_t begin, std::uint64_t end,
                             std::uint64_t entries);
/// Throws usage_error for an entry of a matrix whose column is not in the matrix.
[[noreturn]] void refuse_column(char const* matrix, std::uint64_t entry, std::uint32_t column, std::uint64_t columns);

}  // namespace ordo::inline v0::detail

/// Instantiates the functions above for values of type T on a machine whose backend the source includes with
/// operations/multiply.hpp.
#define ORDO_PRODUCTS_OF(machine, T)                                                                                     \
  template void ordo::detail::multiply_in_parts(machine&, csr_argument<T> const&, csr_argument<T> const&, std::uint64_t, \
                                                on_product_part<T> const&);                                              \
  template ordo::csr_matrix<T> ordo::detail::multiply_whole(machine&, csr_argument<T> const&, csr_argument<T> const&,    \
                                                            std::uint64_t);                                              \
  template void ordo::detail::release_csr(machine&, csr_matrix<T>&, std::uint64_t*, std::uint32_t*, T*);
