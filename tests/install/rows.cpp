#include <iostream>
#include <ordo/cpu.hpp>
#include <ordo/rows.hpp>
#include <ordo/top_k.hpp>
#include <vector>

int main() {
  std::vector<int> day{2, 1, 2, 1, 1};
  std::vector<float> price{10, 5, 30, 9, 7};
  std::vector<std::uint32_t> index(5);
  ordo::cpu cpu;  // or an ordo::gpu, and memory of its device
  ordo::row_key const keys[] = {ordo::key_column(std::span(day)),
                                ordo::key_column(std::span(price), {.order = ordo::sort_order::descending})};
  ordo::argsort_rows(cpu, keys, std::span(index));
  for (auto const row : index) std::cout << day[row] << ' ' << price[row] << '\n';

  std::vector<float> sorted(5), best(4);
  ordo::gather(cpu, std::span(price), std::span(index), std::span(sorted));
  std::vector<std::uint32_t> const days{0, 3, 5};
  ordo::segmented_top_k(cpu, std::span(sorted), ordo::segments_from_offsets(std::span(days)), 2, std::span(best));
  for (float const p : best) std::cout << p << '\n';
}
