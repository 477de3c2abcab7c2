#include "ordo/gpu.cuh"
#include "sort_core/operations/multiply.hpp"
#include "sort_core/operations/products.hpp"

namespace ordo::inline v0::detail {

template <class T>
void multiply_in_parts(gpu& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products,
                       on_product_part<T> const& on_part) {
  multiply_in_parts_on(on, a, b, max_products, on_part);
}
template <class T>
csr_matrix<T> multiply_whole(gpu& on, csr_argument<T> const& a, csr_argument<T> const& b, std::uint64_t max_products) {
  return multiply_whole_on(on, a, b, max_products);
}
template <class T>
void release_csr(gpu& on, csr_matrix<T>& from, std::uint64_t* offsets, std::uint32_t* column_indices, T* values) {
  release_csr_on(on, from, offsets, column_indices, values);
}

}  // namespace ordo::inline v0::detail

ORDO_PRODUCTS_OF(gpu, float)
ORDO_PRODUCTS_OF(gpu, double)
