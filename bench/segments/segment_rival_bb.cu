#include <type_traits>

#include <bb_segsort.cuh>
#include <bb_segsort_keys.cuh>

#include "bench/segments/segment_rivals.hpp"
#include "sort_core/cuda/backend.cuh"

namespace ordo::inline v0::bench {

struct bb_segsort_work::parts {
  int *on_host = nullptr, *counters = nullptr, *numbers = nullptr;
  cudaEvent_t event = nullptr;
};

bb_segsort_work::bb_segsort_work(int segments) : parts_(std::make_unique<parts>()) {
  ORDO_CUDA(cudaMallocHost(&parts_->on_host, (SEGBIN_NUM + 1) * sizeof(int)));
  ORDO_CUDA(cudaMalloc(&parts_->counters, (SEGBIN_NUM + 1) * sizeof(int)));
  ORDO_CUDA(cudaMalloc(&parts_->numbers, std::size_t(segments) * sizeof(int)));
  ORDO_CUDA(cudaEventCreate(&parts_->event));
}

bb_segsort_work::~bb_segsort_work() {
  static_cast<void>(cudaEventDestroy(parts_->event));
  static_cast<void>(cudaFree(parts_->numbers));
  static_cast<void>(cudaFree(parts_->counters));
  static_cast<void>(cudaFreeHost(parts_->on_host));
}

template <class K, class V>
void bb_segsort_work::sort(rival_segments const& segments, K* keys, V* values, K* keys_out, V* values_out,
                           CUstream_st* stream) {
  if constexpr (std::is_void_v<V>)
    bb_segsort_run(keys, keys_out, segments.begins, segments.ends, segments.count, parts_->numbers, parts_->on_host,
                   parts_->counters, stream, parts_->event);
  else
    bb_segsort_run(keys, values, keys_out, values_out, segments.begins, segments.ends, segments.count, parts_->numbers,
                   parts_->on_host, parts_->counters, stream, parts_->event);
}

void bb_segsort_work::sort_floats(std::uint64_t const* offsets, int count, float* keys, float* keys_out, CUstream_st* stream) {
  bb_segsort_run(keys, keys_out, offsets, offsets + 1, count, parts_->numbers, parts_->on_host, parts_->counters, stream,
                 parts_->event);
}

#define ORDO_INSTANTIATE(K, V) template void bb_segsort_work::sort<K, V>(rival_segments const&, K*, V*, K*, V*, CUstream_st*);
ORDO_FOR_SEGMENT_TYPES(ORDO_INSTANTIATE)

}  // namespace ordo::inline v0::bench
