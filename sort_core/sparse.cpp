#include "ordo/sparse.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "ordo/cpu_backend.hpp"
#include "ordo/error.hpp"
#include "sort_core/operations/multiply.hpp"
#include "sort_core/operations/products.hpp"

namespace ordo::inline v0::detail {
namespace {

void check_array(char const* matrix, char const* array, void const* items, std::size_t n, std::size_t item_bytes) {
  if (n == 0) return;
  if (!items) throw usage_error(fmt::format("bad {}: multiply: {} {} at a null pointer", matrix, n, array));
  if (reinterpret_cast<std::uintptr_t>(items) % item_bytes != 0)
    throw usage_error(
        fmt::format("bad {}: multiply: {} at an address that is not a multiple of {}", matrix, array, item_bytes));
}

template <class T>
void check_matrix(char const* name, csr_argument<T> const& matrix) {
  constexpr std::uint64_t max_columns = std::uint64_t{1} << 32;
  if (matrix.columns > max_columns)
    throw usage_error(fmt::format("bad {}: multiply: {} columns, at most {}", name, matrix.columns, max_columns));
  if (matrix.num_offsets == 0 || matrix.num_offsets - 1 != matrix.rows)
    throw usage_error(
        fmt::format("bad {}: multiply: {} offsets for {} rows, which have one more", name, matrix.num_offsets, matrix.rows));
  if (matrix.values.size() != matrix.column_indices.size())
    throw usage_error(fmt::format("bad {}: multiply: {} values for {} column indices", name, matrix.values.size(),
                                  matrix.column_indices.size()));
  check_array(name, "offsets", matrix.offsets, matrix.num_offsets, matrix.offset_bytes);
  check_array(name, "column indices", matrix.column_indices.data(), matrix.column_indices.size(), sizeof(std::uint32_t));
  check_array(name, "values", matrix.values.data(), matrix.values.size(), sizeof(T));
}

}  // namespace

template <class T>
void check_product(csr_argument<T> const& a, csr_argument<T> const& b) {
  check_matrix("a", a);
  check_matrix("b", b);
  if (a.columns != b.rows)
    throw usage_error(fmt::format("bad matrices: multiply: the first has {} columns, the second {} rows", a.columns, b.rows));
}

void refuse_row(char const* matrix, std::uint64_t row, std::uint64_t rows, std::uint64_t begin, std::uint64_t end,
                std::uint64_t entries) {
  if (row == 0 && end != 0) throw usage_error(fmt::format("bad {}: multiply: the offsets begin at {}, not at 0", matrix, end));
  if (row == rows && begin <= end && end <= entries)
    throw usage_error(fmt::format("bad {}: multiply: the offsets end at {} of {} entries", matrix, end, entries));
  throw usage_error(
      fmt::format("bad {}: multiply: row {}: offsets [{}, {}) of {} entries", matrix, row - 1, begin, end, entries));
}

void refuse_column(char const* matrix, std::uint64_t entry, std::uint32_t column, std::uint64_t columns) {
  throw usage_error(fmt::format("bad {}: multiply: entry {}: column {} of {}", matrix, entry, column, columns));
}

namespace {

template <class T>
csr_matrix<T> multiply_on(machine& on, csr_argument<T> const& a, csr_argument<T> const& b) {
  if (on.kind() == device::gpu) return multiply_whole(static_cast<gpu&>(on), a, b, 0);
  return multiply_whole(static_cast<cpu&>(on), a, b, 0);
}
template <class T>
void release(machine& on, csr_matrix<T>& from, std::uint64_t* offsets, std::uint32_t* column_indices, T* values) {
  if (on.kind() == device::gpu) return release_csr(static_cast<gpu&>(on), from, offsets, column_indices, values);
  release_csr(static_cast<cpu&>(on), from, offsets, column_indices, values);
}

}  // namespace

csr_matrix<float> multiply(machine& on, csr_argument<float> const& a, csr_argument<float> const& b) {
  return multiply_on(on, a, b);
}
csr_matrix<double> multiply(machine& on, csr_argument<double> const& a, csr_argument<double> const& b) {
  return multiply_on(on, a, b);
}
void release_csr(machine& on, csr_matrix<float>& from, std::uint64_t* offsets, std::uint32_t* column_indices, float* values) {
  release(on, from, offsets, column_indices, values);
}
void release_csr(machine& on, csr_matrix<double>& from, std::uint64_t* offsets, std::uint32_t* column_indices, double* values) {
  release(on, from, offsets, column_indices, values);
}

template <class T>
void multiply_in_parts(cpu& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products,
                       on_product_part<T> const& on_part) {
  multiply_in_parts_on(on, a, b, max_products, on_part);
}
template <class T>
csr_matrix<T> multiply_whole(cpu& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products) {
  return multiply_whole_on(on, a, b, max_products);
}
template <class T>
void release_csr(cpu& on, csr_matrix<T>& from, std::uint64_t* offsets, std::uint32_t* column_indices, T* values) {
  release_csr_on(on, from, offsets, column_indices, values);
}

template void check_product(csr_argument<float> const&, csr_argument<float> const&);
template void check_product(csr_argument<double> const&, csr_argument<double> const&);

}  // namespace ordo::inline v0::detail

ORDO_PRODUCTS_OF(cpu, float)
ORDO_PRODUCTS_OF(cpu, double)
