#pragma once
#include <cstddef>
#include <cstdint>

#include "sort_core/cpu.hpp"
#include "sort_core/gpu.hpp"
#include "tools/examples/spgemm/sparse_matrix.hpp"

namespace ordo::spgemm {

struct product_report {
  std::uint64_t products = 0;  // of two entries
  std::size_t parts = 0;       // of rows, one after the other
};

/// a b, made by parts of rows of at most so many products of two entries, one row at least; 0: as many as memory allows. T is
/// float or double.
/// @throws usage_error if the matrices do not fit each other; out_of_memory
template <class T>
sparse_matrix<T> product(cpu& on, sparse_matrix<T> const& a, sparse_matrix<T> const& b, std::uint64_t most_products,
                         product_report& report);
template <class T>
sparse_matrix<T> product(gpu& on, sparse_matrix<T> const& a, sparse_matrix<T> const& b, std::uint64_t most_products,
                         product_report& report);

}  // namespace ordo::spgemm
