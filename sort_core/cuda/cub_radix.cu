#include "sort_core/cuda/cub_radix.cuh"

void ordo::cuda_detail::sort_floats_lsd(cuda_backend& machine, std::uint32_t* keys, std::size_t n) {
  {
    auto const other = machine.buffer<float>(n);
    auto* const floats = reinterpret_cast<float*>(keys);
    cub::DoubleBuffer<float> both(floats, other.data());
    machine.with_temporary([&](void* temporary, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, both, std::int64_t(n), 0, 32, machine.stream());
    });
    copy_back(machine, both, floats, n);
  }
  auto const negative = machine.buffer<unsigned long long>(1);
  ORDO_CUDA(cudaMemsetAsync(negative.data(), 0, sizeof(unsigned long long), machine.stream()));
  launch_cooperative<order_zeros<std::uint32_t>>(machine.kernels(), 256, 0, keys, n, radix_key<float>::code, negative.data());
}

ORDO_SORT_LSD_KEYS(std::uint8_t)
ORDO_SORT_LSD_KEYS(std::uint16_t)
ORDO_SORT_LSD_KEYS(std::uint32_t)
ORDO_SORT_LSD_KEYS(std::uint64_t)
ORDO_SORT_LSD_KEYS(ordo::wide_key)
