#include "sort_core/gpu.cuh"
#include "tools/examples/spgemm/product_on.hpp"

namespace ordo::spgemm {

template <class T>
sparse_matrix<T> product(gpu& on, sparse_matrix<T> const& a, sparse_matrix<T> const& b, std::uint64_t most_products,
                         product_report& report) {
  return product_on(on, a, b, most_products, report);
}

template sparse_matrix<float> product(gpu&, sparse_matrix<float> const&, sparse_matrix<float> const&, std::uint64_t,
                                      product_report&);
template sparse_matrix<double> product(gpu&, sparse_matrix<double> const&, sparse_matrix<double> const&, std::uint64_t,
                                       product_report&);

}  // namespace ordo::spgemm
