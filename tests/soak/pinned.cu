#include "tests/soak/pinned.hpp"

#include "sort_core/cuda/runtime/error.cuh"

namespace ordo::soak {
namespace {

class pinned final : public memory_resource {
 public:
  void* allocate(std::size_t bytes) override {
    void* block = nullptr;
    cuda_detail::check_cuda(cudaMallocHost(&block, bytes), "cudaMallocHost", __FILE__, __LINE__, bytes);
    return block;
  }
  void deallocate(void* block, std::size_t) noexcept override { static_cast<void>(cudaFreeHost(block)); }
};

}  // namespace

std::unique_ptr<memory_resource> pinned_memory() {
  return std::make_unique<pinned>();
}

}  // namespace ordo::soak
