#pragma once
#include <cub/device/device_radix_sort.cuh>

#include "sort_core/cuda/backend.cuh"
#include "sort_core/cuda/zeros.cuh"

namespace ordo::inline v0::cuda_detail {

template <class T>
void copy_back(cuda_backend& backend, cub::DoubleBuffer<T> const& both, T* origin, std::size_t n) {
  T const* const result = both.d_buffers[both.selector];
  if (result != origin) ORDO_CUDA(cudaMemcpyAsync(origin, result, n * sizeof(T), cudaMemcpyDeviceToDevice, backend.stream()));
}

template <class K, class V>
void sort_lsd(cuda_backend& backend, K* keys, V* values, std::size_t n, bit_range bits) {
  auto other_keys = backend.buffer<K>(n);
  auto other_values = backend.buffer<V>(values ? n : 0);
  cub::DoubleBuffer<K> both_keys(keys, other_keys.data());
  cub::DoubleBuffer<V> both_values(values, other_values.data());
  auto const sort = [&](auto count) {
    backend.with_temporary([&](void* temporary, std::size_t& bytes) {
      return values ? cub::DeviceRadixSort::SortPairs(temporary, bytes, both_keys, both_values, count, int(bits.begin),
                                                      int(bits.end), backend.stream())
                    : cub::DeviceRadixSort::SortKeys(temporary, bytes, both_keys, count, int(bits.begin), int(bits.end),
                                                     backend.stream());
    });
  };
  if (n < tuning::wide_length_from(sizeof(K), values != nullptr))
    sort(std::uint32_t(n));
  else
    sort(std::int64_t(n));
  copy_back(backend, both_keys, keys, n);
  if (values) copy_back(backend, both_values, values, n);
}

}  // namespace ordo::inline v0::cuda_detail

#define ORDO_SORT_LSD(K, V) \
  template void ordo::cuda_detail::sort_lsd<K, V>(ordo::cuda_backend&, K*, V*, std::size_t, ordo::bit_range);
#define ORDO_SORT_LSD_KEYS(K)     \
  ORDO_SORT_LSD(K, std::uint32_t) \
  ORDO_SORT_LSD(K, std::uint64_t) \
  ORDO_SORT_LSD(K, ulonglong2)
