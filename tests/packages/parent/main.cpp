#include <cstdio>
#include <span>
#include <vector>

#include <ordo/cpu.hpp>
#include <ordo/sort.hpp>

char const* parents_string();

int main() {
  std::vector<int> numbers{3, 1, 2};
  ordo::cpu cpu;
  ordo::sort_keys(cpu, std::span(numbers));
  std::printf("%s", parents_string());
  for (int const number : numbers) std::printf(" %d", number);
  std::puts("");
}
