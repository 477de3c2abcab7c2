#pragma once
#include <cstddef>
#include <map>

#include "c10/util/Exception.h"

// A stand-in for the header of PyTorch: functions with its signatures, over host memory.
struct CUstream_st;
using cudaStream_t = CUstream_st*;

namespace c10::cuda::CUDACachingAllocator {

struct stand_in {
  std::map<void*, std::pair<std::size_t, cudaStream_t>> blocks;
  std::size_t limit = ~std::size_t{0};
  static stand_in& get() {
    static stand_in one;
    return one;
  }
};

inline void* raw_alloc_with_stream(std::size_t nbytes, cudaStream_t stream) {
  if (nbytes > stand_in::get().limit) throw OutOfMemoryError("CUDA out of memory");
  void* const block = ::operator new(nbytes);
  stand_in::get().blocks[block] = {nbytes, stream};
  return block;
}
inline void raw_delete(void* ptr) {
  stand_in::get().blocks.erase(ptr);
  ::operator delete(ptr);
}

}  // namespace c10::cuda::CUDACachingAllocator
