#include <iostream>
#include <ordo/gpu.cuh>
#include <vector>

int main() {
  std::vector<std::uint32_t> const numbers{70, 12, 31, 55, 24, 93, 48, 61}, every{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<std::uint32_t> order(8);
  std::uint32_t *device_numbers, *device_order;
  cudaMalloc(&device_numbers, 8 * sizeof(std::uint32_t));
  cudaMalloc(&device_order, 8 * sizeof(std::uint32_t));
  cudaMemcpy(device_numbers, numbers.data(), 8 * sizeof(std::uint32_t), cudaMemcpyDefault);
  cudaMemcpy(device_order, every.data(), 8 * sizeof(std::uint32_t), cudaMemcpyDefault);

  ordo::gpu gpu({.stream = nullptr});  // CUDA's default stream, like the copies
  // Two segments of four items, each sorted by the last digit of the item's number.
  ordo::sort_segments_by(gpu, std::span(device_order, 8), ordo::uniform_segments(2, 4),
                         [=] __host__ __device__(std::uint32_t item) { return device_numbers[item] % 10; });

  cudaMemcpy(order.data(), device_order, 8 * sizeof(std::uint32_t), cudaMemcpyDefault);
  for (std::uint32_t item : order) std::cout << numbers[item] << '\n';
}
