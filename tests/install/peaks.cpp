#include <iostream>
#include <ordo/cpu.hpp>
#include <ordo/spectra/arrays.hpp>
#include <vector>

int main() {
  std::vector<double> mz{230.1, 112.05, 175.119, 500.2, 87.1};
  std::vector<float> intensity{55, 9, 300, 8, 70};
  std::vector<std::uint32_t> offsets{0, 3, 5};  // two spectra
  ordo::cpu cpu;                                // or an ordo::gpu, and memory of its device
  ordo::spectra::top(cpu, std::span(mz), std::span(intensity), std::span(offsets), 2);
  ordo::spectra::sort_peaks(cpu, std::span(mz), std::span(intensity), std::span<std::uint32_t const>(offsets));
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) std::cout << s << ' ' << mz[i] << ' ' << intensity[i] << '\n';
}
