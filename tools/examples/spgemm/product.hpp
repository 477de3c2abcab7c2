#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "ordo/cpu.hpp"
#include "ordo/gpu.hpp"
#include "tools/examples/spgemm/sparse_matrix.hpp"

namespace ordo::inline v0::spgemm {

struct product_report {
  std::uint64_t products = 0;  // products of two entries
  std::uint64_t entries = 0;   // entries of the product
  std::size_t parts = 0;       // parts of rows, one after the other
};

template <class T>
using on_entries = std::type_identity_t<std::function<void(matrix_entries<T> const&)>>;

/// a b, made by parts of rows of at most this number of products of two entries, one row at least; 0: as many as memory allows.
/// The result may be more than the host's memory holds: take() gets its entries, each once, a million at a time at most, first
/// row first. T is float or double.
/// @throws usage_error if the matrices do not fit each other; out_of_memory; what take() throws
template <class T>
void product(cpu& on, sparse_matrix<T> const& a, sparse_matrix<T> const& b, std::uint64_t max_products,
             on_entries<T> const& take, product_report& report);
template <class T>
void product(gpu& on, sparse_matrix<T> const& a, sparse_matrix<T> const& b, std::uint64_t max_products,
             on_entries<T> const& take, product_report& report);

}  // namespace ordo::inline v0::spgemm
