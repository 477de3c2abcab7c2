#include <map>
#include <type_traits>

#include <moderngpu/kernel_segsort.hxx>

#include "bench/segments/segment_rivals.hpp"
#include "sort_core/cuda/backend.cuh"

namespace ordo::inline v0::bench {

class modern_gpu::context : public mgpu::standard_context_t {
 public:
  context(pool& memory, cudaStream_t stream) : mgpu::standard_context_t(false, stream), memory_(memory) {}

  void* alloc(std::size_t bytes, mgpu::memory_space_t space) override {
    if (bytes == 0 || space != mgpu::memory_space_device) return mgpu::standard_context_t::alloc(bytes, space);
    void* const block = memory_.allocate(bytes);
    sizes_[block] = bytes;
    return block;
  }
  void free(void* block, mgpu::memory_space_t space) override {
    auto const it = sizes_.find(block);
    if (it == sizes_.end()) return mgpu::standard_context_t::free(block, space);
    memory_.deallocate(block, it->second);
    sizes_.erase(it);
  }

 private:
  pool& memory_;
  std::map<void*, std::size_t> sizes_;
};

modern_gpu::modern_gpu(pool& memory, CUstream_st* stream) : context_(std::make_unique<context>(memory, stream)) {}
modern_gpu::~modern_gpu() = default;

template <class K, class V>
void modern_gpu::sort(rival_segments const& segments, K* keys, V* values) {
  try {
    if constexpr (std::is_void_v<V>)
      mgpu::segmented_sort(keys, segments.items, segments.begins, segments.count, mgpu::less_t<K>(), *context_);
    else
      mgpu::segmented_sort(keys, values, segments.items, segments.begins, segments.count, mgpu::less_t<K>(), *context_);
  } catch (mgpu::cuda_exception_t const& e) {
    ORDO_CUDA(e.result);
  }
}

#define ORDO_INSTANTIATE(K, V) template void modern_gpu::sort<K, V>(rival_segments const&, K*, V*);
ORDO_FOR_SEGMENT_TYPES(ORDO_INSTANTIATE)

}  // namespace ordo::inline v0::bench
