#pragma once
#include "sort_core/cuda/backend.cuh"

// Segments of given keys are sorted by some hundred and fifty kernels a width of keys: a source for each type of key and of
// value (CMakeLists.txt), so that none takes long to compile.
namespace ordo::cuda_detail {

template <long_method Long, class K, class V, class Offset>
void sort_stored(cuda_backend& machine, stored_keys<K> keys, V* values, std::size_t n, segment_list<Offset> segments,
                 std::uint8_t* heads) {
  segmented_sorter<cuda_backend, K, V, stored_keys<K>, Long>(machine, keys, values, n, heads).sort(segments);
}

}  // namespace ordo::cuda_detail

#define ORDO_SORT_STORED(Long, K, V, Offset)                                                        \
  template void ordo::cuda_detail::sort_stored<ordo::cuda_detail::long_method::Long, K, V, Offset>( \
      ordo::cuda_backend&, ordo::cuda_detail::stored_keys<K>, V*, std::size_t, ordo::segment_list<Offset>, std::uint8_t*);
#define ORDO_SORT_STORED_OF(K, V)                 \
  ORDO_SORT_STORED(copying, K, V, std::uint32_t)  \
  ORDO_SORT_STORED(copying, K, V, std::uint64_t)  \
  ORDO_SORT_STORED(in_place, K, V, std::uint32_t) \
  ORDO_SORT_STORED(in_place, K, V, std::uint64_t)
