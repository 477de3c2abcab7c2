#pragma once
#include <cub/device/device_radix_sort.cuh>

#include "sort_core/cuda/backend.cuh"
#include "sort_core/cuda/primitives/zeros.cuh"

namespace ordo::inline v0::cuda_detail {

template <class T>
void copy_back(cuda_backend& backend, cub::DoubleBuffer<T> const& both, T* origin, std::size_t n) {
  T const* const result = both.d_buffers[both.selector];
  if (result != origin) ORDO_CUDA(cudaMemcpyAsync(origin, result, n * sizeof(T), cudaMemcpyDeviceToDevice, backend.stream()));
}

/// Calls sort(n), where n has the type with which CUB is faster.
template <class K, class Sort>
void with_length(std::size_t n, bool has_values, Sort sort) {
  if (n < tuning::wide_length_from(sizeof(K), has_values))
    sort(std::uint32_t(n));
  else
    sort(std::int64_t(n));
}

/// Does the work of sort_lsd for keys that are their own codes: CUB's first pass reads the inputs, and its last writes the
/// outputs.
template <class K, class V>
void sort_lsd_apart(cuda_backend& backend, radix_arrays<K, V> const& a, bit_range bits) {
  with_length<K>(a.n, a.values != nullptr, [&](auto count) {
    backend.with_temporary([&](void* temporary, std::size_t& bytes) {
      return a.values ? cub::DeviceRadixSort::SortPairs(temporary, bytes, a.keys_from, a.keys, a.values_from, a.values, count,
                                                        int(bits.begin), int(bits.end), backend.stream())
                      : cub::DeviceRadixSort::SortKeys(temporary, bytes, a.keys_from, a.keys, count, int(bits.begin),
                                                       int(bits.end), backend.stream());
    });
  });
}

template <class K, class V>
void sort_lsd(cuda_backend& backend, radix_arrays<K, V> const& a, bit_range bits, key_code<K> code) {
  if (!a.in_place() && code.identity()) return sort_lsd_apart(backend, a, bits);
  auto other_keys = backend.buffer<K>(a.n);
  auto other_values = backend.buffer<V>(a.values ? a.n : 0);
  cub::DoubleBuffer<K> both_keys(a.keys, other_keys.data());
  cub::DoubleBuffer<V> both_values(a.values, other_values.data());
  auto const begin = [&] {
    recode_keys<K, true> const encode{a.keys_from, a.keys, a.n, code};
    if (!code.identity()) backend.each(encode.threads(), encode);
    if (a.values) backend.copy(std::span<V const>(a.values_from, a.n), std::span<V>(a.values, a.n));
  };
  with_length<K>(a.n, a.values != nullptr, [&](auto count) {
    backend.with_temporary(
        [&](void* temporary, std::size_t& bytes) {
          return a.values ? cub::DeviceRadixSort::SortPairs(temporary, bytes, both_keys, both_values, count, int(bits.begin),
                                                            int(bits.end), backend.stream())
                          : cub::DeviceRadixSort::SortKeys(temporary, bytes, both_keys, count, int(bits.begin), int(bits.end),
                                                           backend.stream());
        },
        begin);
  });
  recode_keys<K, false> const decode{both_keys.Current(), a.keys, a.n, code};
  if (code.identity())
    copy_back(backend, both_keys, a.keys, a.n);
  else
    backend.each(decode.threads(), decode);
  if (a.values) copy_back(backend, both_values, a.values, a.n);
}

}  // namespace ordo::inline v0::cuda_detail

#define ORDO_SORT_LSD(K, V)                                                                                        \
  template void ordo::cuda_detail::sort_lsd<K, V>(ordo::cuda_backend&, ordo::cuda_detail::radix_arrays<K, V> const&, \
                                                  ordo::bit_range, ordo::key_code<K>);
#define ORDO_SORT_LSD_KEYS(K)     \
  ORDO_SORT_LSD(K, std::uint32_t) \
  ORDO_SORT_LSD(K, std::uint64_t) \
  ORDO_SORT_LSD(K, ulonglong2)
