#include "sort_core/cuda/cub_radix.cuh"

void ordo::cuda_detail::sort_floats_lsd(cuda_backend& backend, std::uint32_t const* from, std::uint32_t* keys, std::size_t n) {
  auto* const floats = reinterpret_cast<float*>(keys);
  if (from != keys) {
    backend.with_temporary([&](void* temporary, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, reinterpret_cast<float const*>(from), floats, std::int64_t(n), 0,
                                            32, backend.stream());
    });
  } else {
    auto const other = backend.buffer<float>(n);
    cub::DoubleBuffer<float> both(floats, other.data());
    backend.with_temporary([&](void* temporary, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, both, std::int64_t(n), 0, 32, backend.stream());
    });
    copy_back(backend, both, floats, n);
  }
  auto const negative = backend.buffer<unsigned long long>(1);
  ORDO_CUDA(cudaMemsetAsync(negative.data(), 0, sizeof(unsigned long long), backend.stream()));
  launch_cooperative<order_zeros<std::uint32_t>>(backend.kernels(), 256, 0, keys, n, radix_key<float>::code, negative.data());
}

ORDO_SORT_LSD_KEYS(std::uint8_t)
ORDO_SORT_LSD_KEYS(std::uint16_t)
ORDO_SORT_LSD_KEYS(std::uint32_t)
ORDO_SORT_LSD_KEYS(std::uint64_t)
ORDO_SORT_LSD_KEYS(ordo::wide_key)
