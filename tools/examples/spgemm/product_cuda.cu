#include "ordo/gpu.cuh"
#include "tools/examples/spgemm/product_on.hpp"

namespace ordo::inline v0::spgemm {

template <class T>
void product(gpu& on, sparse_matrix<T> const& a, sparse_matrix<T> const& b, std::uint64_t max_products,
             on_entries<T> const& take, product_report& report) {
  product_on(on, a, b, max_products, take, report);
}

template void product(gpu&, sparse_matrix<float> const&, sparse_matrix<float> const&, std::uint64_t, on_entries<float> const&,
                      product_report&);
template void product(gpu&, sparse_matrix<double> const&, sparse_matrix<double> const&, std::uint64_t,
                      on_entries<double> const&, product_report&);

}  // namespace ordo::inline v0::spgemm
