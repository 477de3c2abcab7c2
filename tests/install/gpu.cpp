#include <cuda_runtime_api.h>
#include <iostream>
#include <ordo/gpu.hpp>
#include <vector>

int main() {
  std::vector<float> keys{3, 1, 2, 9, -0.5, 7};
  std::vector<std::uint32_t> const offsets{0, 3, 6};
  cudaStream_t stream;
  float* device_keys;
  std::uint32_t* device_offsets;
  cudaStreamCreate(&stream);
  cudaMalloc(reinterpret_cast<void**>(&device_keys), 6 * sizeof(float));
  cudaMalloc(reinterpret_cast<void**>(&device_offsets), 3 * sizeof(std::uint32_t));
  cudaMemcpyAsync(device_keys, keys.data(), 6 * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(device_offsets, offsets.data(), 3 * sizeof(std::uint32_t), cudaMemcpyHostToDevice, stream);

  ordo::gpu gpu({.stream = stream});  // keep it: it keeps what it has started
  std::span<std::uint32_t const> const bounds(device_offsets, 3);
  ordo::sort_segments(gpu, std::span(device_keys, 6), ordo::segments_from_offsets(bounds));

  cudaMemcpyAsync(keys.data(), device_keys, 6 * sizeof(float), cudaMemcpyDeviceToHost, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return 1;
  for (float key : keys) std::cout << key << '\n';
}
