#include <iostream>
#include <ordo/cpu.hpp>
#include <vector>

int main() {
  std::vector<float> keys{3, 1, 2, 9, -0.5, 7};
  std::vector<std::uint32_t> values{0, 1, 2, 3, 4, 5};
  std::vector<std::uint32_t> const offsets{0, 3, 6};
  ordo::cpu cpu;
  ordo::sort_segments(cpu, std::span(keys), std::span(values), ordo::segments_from_offsets(std::span(offsets)));
  for (std::size_t i = 0; i < keys.size(); ++i) std::cout << keys[i] << ' ' << values[i] << '\n';
}
