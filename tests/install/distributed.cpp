#include <iostream>
#include <ordo/cpu.hpp>
#include <ordo/distributed_sort.hpp>
#include <vector>

int main() {
  std::vector<std::vector<float>> shares{{3, 1, 2}, {9, -0.5}, {}, {7, 0, 5}};
  ordo::run_members(shares.size(), [&](ordo::communicator& members, ordo::cpu& cpu) {
    ordo::sort_keys(members, cpu, shares[members.rank()]);
  });
  for (auto const& share : shares) {
    for (float const key : share) std::cout << key << ' ';
    std::cout << '\n';
  }
}
