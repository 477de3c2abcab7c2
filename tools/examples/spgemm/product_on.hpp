#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordo/sparse.hpp"
#include "sort_core/operations/products.hpp"
#include "tools/examples/spgemm/product.hpp"

// From the host's memory and back, once for both machines.
namespace ordo::inline v0::spgemm {

/// A matrix in the machine's memory.
template <class T>
class matrix_on {
 public:
  template <class B>
  matrix_on(B& machine, sparse_matrix<T> const& of)
      : rows_(of.rows),
        columns_(of.columns),
        offsets_(machine.upload(std::span<std::uint64_t const>(of.offsets))),
        column_(machine.upload(std::span<std::uint32_t const>(of.column))),
        value_(machine.upload(std::span<T const>(of.value))) {}
  [[nodiscard]] detail::csr_argument<T> view() const {
    return detail::csr_argument<T>(csr_view<T>{rows_, columns_, offsets_.span(), column_.span(), value_.span()});
  }

 private:
  std::size_t rows_, columns_;
  buffer<std::uint64_t const> offsets_;
  buffer<std::uint32_t const> column_;
  buffer<T const> value_;
};

constexpr std::size_t entries_at_once = std::size_t{1} << 20;

/// Gives take() the entries of a part, some at a time: it may be of most of a GPU's memory.
template <class B, class T>
void hand_over(B& machine, std::size_t first_row, csr_matrix<T> const& part, on_entries<T> const& take) {
  std::vector<std::uint64_t> offsets(part.rows + 1);
  machine.download(std::span<std::uint64_t const>(part.offsets.span()), std::span(offsets));
  std::span<std::uint32_t const> const column = part.column_indices.span();
  std::span<T const> const value = part.values.span();
  matrix_entries<T> some;
  for (std::size_t begin = 0, row = 0; begin < column.size(); begin += some.row.size()) {
    std::size_t const size = std::min(column.size() - begin, entries_at_once);
    some.row.resize(size);
    some.column.resize(size);
    some.value.resize(size);
    machine.download(column.subspan(begin, size), std::span(some.column));
    machine.download(value.subspan(begin, size), std::span(some.value));
    for (std::size_t i = 0; i < size; ++i) {
      while (offsets[row + 1] <= begin + i) ++row;
      some.row[i] = std::uint32_t(first_row + row);
    }
    take(some);
  }
}

template <class Machine, class T>
void product_on(Machine& on, sparse_matrix<T> const& a, sparse_matrix<T> const& b, std::uint64_t max_products,
                on_entries<T> const& take, product_report& report) {
  report = {};
  with_backend(on, [&](auto& machine) {
    matrix_on<T> const first(machine, a), second(machine, b);
    detail::multiply_in_parts(on, first.view(), second.view(), max_products, [&](std::size_t first_row, csr_matrix<T> part) {
      hand_over(machine, first_row, part, take);
      report.entries += part.num_entries();
      ++report.parts;
    });
  });
  for (std::uint32_t const column : a.column) report.products += b.offsets[column + 1] - b.offsets[column];
}

}  // namespace ordo::inline v0::spgemm
