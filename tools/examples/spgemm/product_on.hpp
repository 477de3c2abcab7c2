#pragma once
#include <utility>

#include "sort_core/error.hpp"
#include "tools/examples/spgemm/multiply.hpp"
#include "tools/examples/spgemm/product.hpp"

// From the host's memory and back, once for both machines.
namespace ordo::spgemm {

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
  [[nodiscard]] matrix_view<T> view() const { return {rows_, columns_, offsets_.span(), column_.span(), value_.span()}; }

 private:
  std::size_t rows_, columns_;
  buffer<std::uint64_t const> offsets_;
  buffer<std::uint32_t const> column_;
  buffer<T const> value_;
};

/// Behind what the result holds.
template <class B, class T>
void append(B& machine, product_rows<T> const& part, sparse_matrix<T>& result) {
  std::size_t const before = result.entries(), sums = part.column.size();
  std::vector<std::uint64_t> ends(part.rows + 1);
  machine.download(std::span<std::uint64_t const>(part.offsets.span()), std::span(ends));
  for (std::size_t r = 1; r <= part.rows; ++r) result.offsets.push_back(before + ends[r]);
  result.column.resize(before + sums);
  result.value.resize(before + sums);
  machine.download(std::span<std::uint32_t const>(part.column.span()), std::span(result.column).subspan(before));
  machine.download(std::span<T const>(part.value.span()), std::span(result.value).subspan(before));
}

template <class Machine, class T>
sparse_matrix<T> product_on(Machine& on, sparse_matrix<T> const& a, sparse_matrix<T> const& b, std::uint64_t most_products,
                            product_report& report) {
  if (a.columns != b.rows) throw usage_error("bad matrices: product: the first has not as many columns as the second has rows");
  report = {};
  sparse_matrix<T> result;
  result.rows = a.rows;
  result.columns = b.columns;
  with_backend(on, [&](auto& machine) {
    matrix_on<T> const first(machine, a), second(machine, b);
    multiply(on, first.view(), second.view(), most_products, [&](product_rows<T> part) {
      append(machine, part, result);
      ++report.parts;
    });
  });
  for (std::uint32_t const column : a.column) report.products += b.offsets[column + 1] - b.offsets[column];
  return result;
}

}  // namespace ordo::spgemm
