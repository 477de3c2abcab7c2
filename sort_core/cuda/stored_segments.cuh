#pragma once
#include "sort_core/cuda/backend.cuh"

// Segments of stored keys are sorted by about 150 kernels per width of keys. Each combination of key and value type is
// an instance, and they are compiled in parallel (CMakeLists.txt).
namespace ordo::inline v0::cuda_detail {

template <large_method Method, class K, class V, class Offset>
void sort_stored(cuda_backend& backend, stored_keys<K> keys, V* values, std::size_t n, segment_list<Offset> segments,
                 std::uint8_t* heads) {
  segmented_sorter<cuda_backend, K, V, stored_keys<K>, Method>(backend, keys, values, n, heads).sort(segments);
}

}  // namespace ordo::inline v0::cuda_detail

#define ORDO_SORT_STORED(Method, K, V, Offset)                                                         \
  template void ordo::cuda_detail::sort_stored<ordo::cuda_detail::large_method::Method, K, V, Offset>( \
      ordo::cuda_backend&, ordo::cuda_detail::stored_keys<K>, V*, std::size_t, ordo::segment_list<Offset>, std::uint8_t*);
#define ORDO_SORT_STORED_OF(K, V)                 \
  ORDO_SORT_STORED(copying, K, V, std::uint32_t)  \
  ORDO_SORT_STORED(copying, K, V, std::uint64_t)  \
  ORDO_SORT_STORED(in_place, K, V, std::uint32_t) \
  ORDO_SORT_STORED(in_place, K, V, std::uint64_t)
