#include "sort_core/cuda/short_rows.cuh"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "tests/gpu/emulation/machine.hpp"
#include "tests/unit/catch.hpp"

// Rows of a product of sparse matrices by some lanes of a warp each, against a map for each row.
namespace {

namespace od = ordo::cuda_detail;

template <class T>
struct matrix {
  std::size_t columns = 0;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> column;
  std::vector<T> value;
  [[nodiscard]] std::size_t rows() const { return offsets.size() - 1; }
};

/// Makes rows of 0 to `longest` entries, of which some are in one column.
template <class T>
matrix<T> random_matrix(std::size_t rows, std::size_t columns, unsigned longest, std::mt19937& random) {
  matrix<T> made{columns, {0}, {}, {}};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t n = random() % (longest + 1); n != 0; --n) {
      made.column.push_back(std::uint32_t(random() % columns));
      made.value.push_back(T(std::int32_t(random())) / T(1 << 20));
    }
    made.offsets.push_back(made.value.size());
  }
  return made;
}

template <class T>
std::vector<std::map<std::uint32_t, T>> plain_product(matrix<T> const& a, matrix<T> const& b) {
  std::vector<std::map<std::uint32_t, T>> rows(a.rows());
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (std::uint64_t e = a.offsets[r]; e < a.offsets[r + 1]; ++e)
      for (std::uint64_t k = b.offsets[a.column[e]]; k < b.offsets[a.column[e] + 1]; ++k) {
        T const product = a.value[e] * b.value[k];
        if (auto const [at, is_new] = rows[r].try_emplace(b.column[k], product); !is_new) at->second += product;
      }
  return rows;
}

template <class T>
auto in_memory(emulation::machine& machine, std::vector<T> const& from) {
  auto const to = machine.buffer<T>(from.size());
  std::copy(from.begin(), from.end(), to.data());
  return to;
}

/// Multiplies rows [first, a.rows()).
template <class T>
void check(matrix<T> const& a, matrix<T> const& b, std::size_t first) {
  emulation::machine machine;
  auto const a_offsets = in_memory(machine, a.offsets), b_offsets = in_memory(machine, b.offsets);
  auto const a_column = in_memory(machine, a.column), b_column = in_memory(machine, b.column);
  auto const a_value = in_memory(machine, a.value), b_value = in_memory(machine, b.value);
  std::vector<std::uint64_t> before{0};
  std::uint64_t longest = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    std::uint64_t products = 0;
    for (std::uint64_t e = a.offsets[r]; e < a.offsets[r + 1]; ++e)
      products += b.offsets[a.column[e] + 1] - b.offsets[a.column[e]];
    before.push_back(before.back() + products);
    longest = std::max({longest, products, a.offsets[r + 1] - a.offsets[r]});
  }
  REQUIRE(longest <= ordo::detail::max_short_row);
  auto const to_row = in_memory(machine, before);
  std::size_t const rows = a.rows() - first, products = std::size_t(before.back() - before[first]);
  auto const column = machine.buffer<std::uint32_t>(products);
  auto const value = machine.buffer<T>(products);
  auto const sums = machine.buffer<std::uint32_t>(rows);
  od::short_rows<T> const work{{a.rows(), a.columns, a_offsets.span(), a_column.span(), a_value.span()},
                               {b.rows(), b.columns, b_offsets.span(), b_column.span(), b_value.span()},
                               first,
                               rows,
                               to_row.data() + first,
                               column.data(),
                               value.data(),
                               sums.data()};
  od::multiply_short(machine.kernels(), work, longest);
  std::vector<std::uint64_t> ends(rows + 1);
  std::inclusive_scan(sums.data(), sums.data() + rows, ends.begin() + 1, std::plus<>{}, std::uint64_t{0});
  auto const offsets = in_memory(machine, ends);
  auto const out_column = machine.buffer<std::uint32_t>(std::size_t(ends.back()));
  auto const out_value = machine.buffer<T>(std::size_t(ends.back()));
  od::copy_short(machine.kernels(), work, offsets.data(), out_column.data(), out_value.data());

  std::vector<std::uint32_t> expected_columns;
  std::vector<T> expected_values;
  auto const expected = plain_product(a, b);
  for (std::size_t r = 0; r < rows; ++r) {
    for (auto const& [c, v] : expected[first + r]) {
      expected_columns.push_back(c);
      expected_values.push_back(v);
    }
    REQUIRE(ends[r + 1] == expected_columns.size());
  }
  CHECK(std::equal(expected_columns.begin(), expected_columns.end(), out_column.data()));
  CHECK(std::equal(expected_values.begin(), expected_values.end(), out_value.data()));
}

template <class T>
void check_all() {
  std::mt19937 random(5);
  // Rows of at most 32, 64, 128 and 256 products; columns near each other, and too far apart for words of 32 bits.
  for (auto const& [in_row, in_second] :
       std::vector<std::pair<unsigned, unsigned>>{{5, 6}, {8, 8}, {16, 8}, {16, 16}, {256, 1}})
    for (std::size_t const columns : {std::size_t{40}, std::size_t{1} << 32})
      for (std::size_t const rows : {0, 1, 70}) {
        auto a = random_matrix<T>(rows, 50, in_row, random);
        check(a, random_matrix<T>(50, columns, in_second, random), rows / 3);
      }
  // Full rows, and entries without products.
  matrix<T> full = random_matrix<T>(20, 16, 0, random);
  full.columns = 16;
  full.offsets = {0};
  for (std::size_t r = 0; r < 20; ++r) {
    for (std::uint32_t c = 0; c < 16; ++c) {
      full.column.push_back(15 - c);
      full.value.push_back(T(c + r));
    }
    full.offsets.push_back(full.value.size());
  }
  matrix<T> square = full;
  square.offsets.resize(17);
  check(full, square, 0);
  check(full, random_matrix<T>(16, 9, 0, random), 0);
}

}  // namespace

TEST_CASE("kernels: products of short rows, float") {
  check_all<float>();
}
TEST_CASE("kernels: products of short rows, double") {
  check_all<double>();
}
