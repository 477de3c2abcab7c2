#include "ordo/sparse.hpp"

#include <cstdint>
#include <string>

#include "ordo/error.hpp"
#include "python/src/machine.hpp"
#include "python/src/module.hpp"

namespace ordo_python {
namespace {

/// A sparse matrix in arrays of Python.
struct csr_arrays {
  std::size_t rows, columns;
  array offsets, column_indices, values;

  /// @param shape   numbers of rows and columns
  /// @param arrays  indptr, indices and data
  csr_arrays(nb::tuple const& shape, nb::tuple const& arrays, std::uintptr_t stream)
      : rows(nb::cast<std::size_t>(shape[0])),
        columns(nb::cast<std::size_t>(shape[1])),
        offsets(arrays[0], "indptr", false, stream),
        column_indices(arrays[1], "indices", false, stream),
        values(arrays[2], "data", false, stream) {
    check_place("indptr", offsets);
    check_place("indices", column_indices);
    if (column_indices.item_bytes() != 4 || (offsets.item_bytes() != 4 && offsets.item_bytes() != 8))
      throw ordo::usage_error("bad indices: not of 32 bits, or indptr of neither 32 nor 64");
  }
  void check_place(char const* name, array const& other) const {
    if (other.gpu() != values.gpu()) throw ordo::usage_error(std::string("bad ") + name + ": not on the device of the data");
  }

  template <class T>
  [[nodiscard]] ordo::detail::csr_argument<T> argument() const {
    return offsets.item_bytes() == 4 ? ordo::detail::csr_argument<T>(view<T, std::uint32_t>())
                                     : ordo::detail::csr_argument<T>(view<T, std::uint64_t>());
  }

 private:
  template <class T, class Offset>
  [[nodiscard]] ordo::csr_view<T, Offset> view() const {
    return {rows,
            columns,
            {static_cast<Offset const*>(offsets.data()), offsets.size()},
            {static_cast<std::uint32_t const*>(column_indices.data()), column_indices.size()},
            {static_cast<T const*>(values.data()), values.size()}};
  }
};

template <class T>
nb::object multiply_arrays(machines& on, csr_arrays const& a, csr_arrays const& b, nb::callable const& allocate,
                           std::uintptr_t stream) {
  auto const run = [&](auto f) {
    on.run(a.values.gpu(), stream,
           [&](ordo_machine* machine) { return ordo::detail::c_status([&] { f(*machine->machine); }); });
  };
  ordo::csr_matrix<T> product;
  run([&](ordo::machine& machine) { product = ordo::detail::multiply(machine, a.argument<T>(), b.argument<T>()); });
  // The product is in memory of the machine, which other threads use between the calls: it is freed within one, too.
  try {
    nb::object arrays = allocate(product.offsets.size(), product.num_entries());
    nb::tuple const all = nb::cast<nb::tuple>(arrays);
    array const offsets(all[0], "indptr", true, stream), column_indices(all[1], "indices", true, stream),
        values(all[2], "data", true, stream);
    run([&](ordo::machine& machine) {
      ordo::detail::release_csr(machine, product, static_cast<std::uint64_t*>(offsets.data()),
                                static_cast<std::uint32_t*>(column_indices.data()), static_cast<T*>(values.data()));
    });
    return arrays;
  } catch (...) {
    run([&](ordo::machine& machine) {
      ordo::detail::release_csr(machine, product, nullptr, nullptr, static_cast<T*>(nullptr));
    });
    throw;
  }
}

/// Returns the arrays of allocate(number of offsets, number of entries), which hold the product of two matrices.
nb::object spgemm(machines& on, nb::tuple const& a_shape, nb::tuple const& a_arrays, nb::tuple const& b_shape,
                  nb::tuple const& b_arrays, nb::callable const& allocate, std::uintptr_t stream) {
  csr_arrays const a(a_shape, a_arrays, stream), b(b_shape, b_arrays, stream);
  a.check_place("b", b.values);
  if (a.values.type() != b.values.type()) throw ordo::usage_error("bad b: not of the type of a");
  if (a.values.type() == ORDO_FLOAT32) return multiply_arrays<float>(on, a, b, allocate, stream);
  if (a.values.type() == ORDO_FLOAT64) return multiply_arrays<double>(on, a, b, allocate, stream);
  throw ordo::usage_error("bad data: neither float32 nor float64");
}

}  // namespace

void add_sparse(nb::module_& module) {
  module.def("spgemm", &spgemm);
}

}  // namespace ordo_python
