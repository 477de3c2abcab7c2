#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

// Sparse matrices by rows (CSR).
namespace ordo::inline v0::spgemm {

/// A matrix in the host's memory: row r has the entries [offsets[r], offsets[r + 1]), in falling or rising order of columns, or
/// none; a column may stand more than once, and its values add up.
template <class T>
struct sparse_matrix {
  std::size_t rows = 0, columns = 0;         // below 2^32
  std::vector<std::uint64_t> offsets = {0};  // rows + 1
  std::vector<std::uint32_t> column;         // column of each entry, from 0
  std::vector<T> value;

  [[nodiscard]] std::size_t entries() const { return column.size(); }
};

/// Some entries of a matrix, in rising order of rows, in each of columns.
template <class T>
struct matrix_entries {
  std::vector<std::uint32_t> row, column;  // from 0
  std::vector<T> value;
};

/// The transpose, each row's columns in rising order; entries of one row and column stay apart, in the order they had.
template <class T>
sparse_matrix<T> transposed(sparse_matrix<T> const& of);

}  // namespace ordo::inline v0::spgemm
