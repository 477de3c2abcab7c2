#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/examples/spgemm/sparse_matrix.hpp"

// Generated matrices to square, of the kinds that Hou et al. and Bell et al. took from collections. All entries are small
// integers, so that sums are exact in any order.
namespace ordo::inline v0::bench {

struct matrix_kind {
  std::string name;
  std::function<spgemm::sparse_matrix<float>()> make;
};

/// Returns the kinds of generated matrices.
/// @param shrink  divisor of the number of rows
std::vector<matrix_kind> matrix_kinds(std::size_t shrink);

/// Returns matrices with the numbers of rows and entries of those that Hou et al. square: lengths of rows by a power law up to
/// a longest one, columns by the same law.
std::vector<matrix_kind> collection_kinds();

/// Returns 42 matrices of 2^11 to 2^16 rows: seven kinds, six sizes each.
std::vector<matrix_kind> series_kinds();

/// Returns the matrices of Matrix Market files, by name, with small integers as values. `make` throws the errors of reading,
/// and usage_error if the matrix is not square.
std::vector<matrix_kind> read_matrices(std::vector<std::string> const& files);

/// The results of one matrix.
struct square_row {
  std::string name, type;
  std::size_t rows = 0, entries = 0, products = 0, result_entries = 0;
  struct contender {
    std::string name;
    double ms = 0;
    unsigned runs = 0;      // 0: not possible
    std::size_t bytes = 0;  // maximum of memory of the GPU, without the matrix
    bool right = true;
    std::string why;  // reason for no runs
  };
  std::vector<contender> contenders;  // Ordo first
};

/// Prints each row when it is added, and rewrites the JSON file.
class square_report {
 public:
  square_report(std::string json, std::vector<std::pair<std::string, std::string>> machine);
  void add(square_row const& row);
  [[nodiscard]] int status() const { return failed_ ? 1 : 0; }

 private:
  void save() const;

  std::string json_;
  std::vector<std::pair<std::string, std::string>> machine_;
  std::vector<square_row> rows_;
  bool failed_ = false;
};

}  // namespace ordo::inline v0::bench
