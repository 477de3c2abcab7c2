#pragma once
#include <string>
#include <string_view>

#include "sort_core/io.hpp"
#include "tools/examples/spgemm/sparse_matrix.hpp"

// Matrix Market's coordinate format (Boisvert, Pozo and Remington, NISTIR 5935).
namespace ordo::spgemm {

/// A matrix: real, integer or pattern (whose entries are 1); general, symmetric or skew-symmetric, the other half of which is
/// made. Rows and columns below 2^32; entries of a row keep their order. T is float or double.
/// @param name  of the input, in errors @throws input_error with the line
template <class T>
sparse_matrix<T> read_matrix_market(std::string_view text, std::string const& name);

/// Writes it as `real general`, row by row, each value in the fewest digits that give it back. @throws what the sink throws
template <class T>
void write_matrix_market(sparse_matrix<T> const& matrix, sink& to);

}  // namespace ordo::spgemm
