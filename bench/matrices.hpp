#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/examples/spgemm/sparse_matrix.hpp"

// Matrices whose squares are taken, of the kinds that Hou et al. and Bell et al. took from collections, made anew. All entries
// are small whole numbers, so that sums are exact in any order.
namespace ordo::bench {

struct matrix_kind {
  std::string name;
  std::function<spgemm::sparse_matrix<float>()> make;
};

/// @param shrink  so many times fewer rows
std::vector<matrix_kind> matrix_kinds(std::size_t shrink);

/// Those of Matrix Market files, by their names; values are made small whole numbers, too. Making one throws what reading it
/// does, and usage_error of a matrix that is not square.
std::vector<matrix_kind> matrices_of(std::vector<std::string> const& files);

/// What was measured of one matrix.
struct square_row {
  std::string name, type;
  std::size_t rows = 0, entries = 0, products = 0, result_entries = 0;
  struct contender {
    std::string name;
    double ms = 0;
    unsigned runs = 0;      // 0: it could not
    std::size_t bytes = 0;  // of the card at most, the matrix not counted
    bool right = true;
    std::string why;  // it could not
  };
  std::vector<contender> contenders;  // Ordo first
};

/// Prints rows as they come, and rewrites the JSON file.
class square_report {
 public:
  square_report(std::string json, std::vector<std::pair<std::string, std::string>> where);
  void add(square_row const& row);
  [[nodiscard]] int status() const { return failed_ ? 1 : 0; }

 private:
  void save() const;

  std::string json_;
  std::vector<std::pair<std::string, std::string>> where_;
  std::vector<square_row> rows_;
  bool failed_ = false;
};

}  // namespace ordo::bench
