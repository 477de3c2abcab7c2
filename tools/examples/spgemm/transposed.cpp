#include "tools/examples/spgemm/sparse_matrix.hpp"

namespace ordo::inline v0::spgemm {

template <class T>
sparse_matrix<T> transposed(sparse_matrix<T> const& of) {
  sparse_matrix<T> result;
  result.rows = of.columns;
  result.columns = of.rows;
  result.offsets.assign(of.columns + 1, 0);
  result.column.resize(of.entries());
  result.value.resize(of.entries());
  for (std::uint32_t const column : of.column) ++result.offsets[column + 1];
  for (std::size_t r = 0; r < result.rows; ++r) result.offsets[r + 1] += result.offsets[r];
  std::vector<std::uint64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t r = 0; r < of.rows; ++r)
    for (std::uint64_t e = of.offsets[r]; e < of.offsets[r + 1]; ++e) {
      std::uint64_t const to = next[of.column[e]]++;
      result.column[to] = std::uint32_t(r);
      result.value[to] = of.value[e];
    }
  return result;
}

template sparse_matrix<float> transposed(sparse_matrix<float> const&);
template sparse_matrix<double> transposed(sparse_matrix<double> const&);

}  // namespace ordo::inline v0::spgemm
