#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/temporary_file.hpp"
#include "ordo/io.hpp"
#include "tools/examples/spgemm/sparse_matrix.hpp"

// Matrix Market's coordinate format (Boisvert, Pozo and Remington, NISTIR 5935).
namespace ordo::inline v0::spgemm {

/// A matrix: real, integer or pattern (whose entries are 1); general, symmetric or skew-symmetric, the other half of which is
/// made. Rows and columns below 2^32; entries of a row keep their order. T is float or double.
/// @param name  the name of the input, in errors @throws input_error with the line, also for a number that T is too small for
template <class T>
sparse_matrix<T> read_matrix_market(std::string_view text, std::string const& name);

/// Writes a matrix as `real general`, row by row, each value in the fewest digits that give it back, NaN as `nan` whatever its
/// sign. The number of entries comes before them: they wait for it as text, in a file without a name, not in memory.
class matrix_market_writer {
 public:
  /// @param folder  the folder of that file @throws output_error
  explicit matrix_market_writer(std::string const& folder) : text_(folder) {}

  /// The next entries. T is float or double. @throws output_error
  template <class T>
  void add(matrix_entries<T> const& more);
  /// There are no more. @throws what the sink throws
  void write(std::size_t rows, std::size_t columns, sink& to) const;

 private:
  temporary_file text_;
  std::uint64_t bytes_ = 0, entries_ = 0;
};

}  // namespace ordo::inline v0::spgemm
