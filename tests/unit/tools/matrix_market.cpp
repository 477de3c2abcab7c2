#include "tools/examples/spgemm/matrix_market.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ordo/error.hpp"
#include "tests/unit/catch.hpp"
#include "tests/unit/io_ends.hpp"

using namespace ordo::spgemm;

namespace {

std::string complaint(std::string const& text) {
  try {
    read_matrix_market<double>(text, "m.mtx");
  } catch (ordo::input_error const& e) {
    return e.what();
  }
  return "none";
}

template <class T>
void check_same(sparse_matrix<T> const& a, sparse_matrix<T> const& b) {
  CHECK(a.rows == b.rows);
  CHECK(a.columns == b.columns);
  CHECK(a.offsets == b.offsets);
  CHECK(a.column == b.column);
  CHECK(a.value == b.value);
}

}  // namespace

TEST_CASE("matrices are read", "[spgemm]") {
  auto const m = read_matrix_market<double>(
      "%%MatrixMarket matrix coordinate Real General\r\n% a comment\n\n3 4 4\n3 1 -2.5e-1\n1 4 +7\n\n%\n3 2 .5\n1 2 1e300\n\n",
      "m");
  CHECK(m.rows == 3);
  CHECK(m.columns == 4);
  CHECK(m.offsets == std::vector<std::uint64_t>{0, 2, 2, 4});
  CHECK(m.column == std::vector<std::uint32_t>{3, 1, 0, 1});
  CHECK(m.value == std::vector<double>{7, 1e300, -0.25, 0.5});

  auto const symmetric =
      read_matrix_market<float>("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 4", "m");
  CHECK(symmetric.offsets == std::vector<std::uint64_t>{0, 2, 3});
  CHECK(symmetric.column == std::vector<std::uint32_t>{0, 1, 0});
  CHECK(symmetric.value == std::vector<float>{3, 4, 4});
  auto const skew = read_matrix_market<float>("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n", "m");
  CHECK(skew.value == std::vector<float>{-4, 4});
  auto const pattern = read_matrix_market<float>("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 3\n1 1\n", "m");
  CHECK(pattern.column == std::vector<std::uint32_t>{0, 2});
  CHECK(pattern.value == std::vector<float>{1, 1});
  CHECK(read_matrix_market<double>("%%MatrixMarket matrix coordinate real general\n0 0 0\n", "m").offsets.size() == 1);
}

TEST_CASE("what is no matrix is refused, with its line", "[spgemm]") {
  std::string const begin = "%%MatrixMarket matrix coordinate real general\n";
  CHECK(complaint("") == "bad matrix: m.mtx:0: it does not begin with %%MatrixMarket");
  CHECK(complaint("1 2 3\n") == "bad matrix: m.mtx:1: it does not begin with %%MatrixMarket");
  CHECK_THAT(complaint("%%MatrixMarket matrix array real general\n"), contains_text("m.mtx:1: only 'matrix coordinate'"));
  CHECK_THAT(complaint("%%MatrixMarket matrix coordinate complex general\n"), contains_text("'complex'"));
  CHECK_THAT(complaint("%%MatrixMarket matrix coordinate real hermitian\n"), contains_text("'hermitian'"));
  CHECK_THAT(complaint(begin), contains_text("no sizes"));
  CHECK_THAT(complaint(begin + "2 2\n"), contains_text("m.mtx:2: bad number of entries"));
  CHECK_THAT(complaint(begin + "2 2 1 9\n"), contains_text("'9' is too much"));
  CHECK_THAT(complaint(begin + "2 2 99999999999999\n"), contains_text("bad number of entries"));
  CHECK_THAT(complaint(begin + "4294967296 2 1\n"), contains_text("bad number of rows"));
  CHECK_THAT(complaint(begin + "2 2 2\n1 1 1\n"), contains_text("m.mtx:3: 1 entries follow of 2"));
  CHECK_THAT(complaint(begin + "2 2 1\n1 1 1\n2 2 1\n"), contains_text("m.mtx:4: more follows"));
  CHECK_THAT(complaint(begin + "2 2 1\n0 1 1\n"), contains_text("bad row: 0 is not from 1 to 2"));
  CHECK_THAT(complaint(begin + "2 2 1\n1 3 1\n"), contains_text("bad column: 3"));
  CHECK_THAT(complaint(begin + "2 2 1\n-1 1 1\n"), contains_text("'-1' is no number"));
  CHECK_THAT(complaint(begin + "2 2 1\n1 1 x\n"), contains_text("'x' is no number"));
  CHECK_THAT(complaint(begin + "2 2 1\n1 1\n"), contains_text("bad value"));
  for (std::string const no_number : {"+-3", "++3", "--3", "-+3", "+", "3x", "0x10"})
    CHECK_THAT(complaint(begin + "2 2 1\n1 1 " + no_number + "\n"), contains_text("'" + no_number + "' is no number"));
  for (std::string const large : {"1e400", "-1e400", "+2e308"})
    CHECK_THAT(complaint(begin + "2 2 1\n1 1 " + large + "\n"), contains_text(large + " is too large for a double"));
  CHECK_THROWS_WITH(read_matrix_market<float>(begin + "2 2 1\n1 1 1e40\n", "m"),
                    contains_text("1e40 is too large for a float"));
  CHECK(read_matrix_market<float>(begin + "2 2 2\n1 1 -inf\n1 2 1e-60\n", "m").value ==
        std::vector<float>{-std::numeric_limits<float>::infinity(), 0});
  CHECK_THAT(complaint(begin + "0 2 1\n1 1 1\n"), contains_text("bad row"));
  CHECK_THAT(complaint("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"), contains_text("as many rows"));
}

TEST_CASE("a matrix is read back as it was written", "[spgemm]") {
  sparse_matrix<double> m;
  m.rows = 3;
  m.columns = 5;
  m.offsets = {0, 2, 2, 5};
  m.column = {4, 0, 1, 1, 3};
  m.value = {0.1, -1e-300, 5e-324, 1.0 / 3, std::numeric_limits<double>::max()};
  matrix_market_writer writer("/tmp");
  writer.add(matrix_entries<double>{{0, 0, 2}, {4, 0, 1}, {0.1, -1e-300, 5e-324}});
  writer.add(matrix_entries<double>{});
  writer.add(matrix_entries<double>{{2, 2}, {1, 3}, {1.0 / 3, std::numeric_limits<double>::max()}});
  test_sink to(false);
  writer.write(3, 5, to);
  check_same(read_matrix_market<double>(to.text(), "m"), m);
  float const nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  matrix_market_writer narrow("/tmp");
  narrow.add(matrix_entries<float>{{0, 0, 0, 0}, {0, 1, 2, 3}, {0.1F, nan, std::copysign(nan, -1.0F), -infinity}});
  test_sink other(false);
  narrow.write(1, 4, other);
  CHECK(other.text() == "%%MatrixMarket matrix coordinate real general\n1 4 4\n1 1 0.1\n1 2 nan\n1 3 nan\n1 4 -inf\n");
}

TEST_CASE("the transpose of the transpose is the matrix", "[spgemm]") {
  auto const m =
      read_matrix_market<double>("%%MatrixMarket matrix coordinate real general\n2 3 4\n1 1 1\n1 3 2\n2 1 3\n2 2 4\n", "m");
  auto const turned = transposed(m);
  CHECK(turned.rows == 3);
  CHECK(turned.offsets == std::vector<std::uint64_t>{0, 2, 3, 4});
  CHECK(turned.column == std::vector<std::uint32_t>{0, 1, 1, 0});
  CHECK(turned.value == std::vector<double>{1, 3, 4, 2});
  check_same(transposed(turned), m);
}
