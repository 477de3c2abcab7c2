#include <iostream>
#include <ordo/cpu.hpp>
#include <ordo/sparse.hpp>
#include <vector>

int main() {
  // Row 0 has 2 in column 0 and 3 in column 2, row 1 has 4 in column 1, row 2 is empty.
  std::vector<int> const offsets{0, 2, 3, 3}, columns{0, 2, 1};
  std::vector<double> const values{2, 3, 4};
  ordo::cpu cpu;  // or an ordo::gpu, and memory of its device
  auto const a = ordo::csr(3, 3, offsets, columns, values);
  ordo::csr_matrix<double> const square = ordo::multiply(cpu, a, a);
  for (std::size_t row = 0; row < square.rows; ++row)
    for (auto e = square.offsets.span()[row]; e < square.offsets.span()[row + 1]; ++e)
      std::cout << row << ' ' << square.column_indices.span()[e] << ' ' << square.values.span()[e] << '\n';
}
