#include <cstddef>
#include <new>
#include <vector>

#include "ordo/rmm.hpp"
#include "ordo/torch.hpp"  // on tests/unit/stand_ins
#include "tests/unit/catch.hpp"

// The adapters of other libraries' allocators, on stand-ins with the signatures of these.
namespace {

struct call {
  void* block;
  std::size_t bytes, alignment;
  CUstream_st* stream;
  friend bool operator==(call const&, call const&) = default;
};
struct calls {
  std::vector<call> allocated, freed;
};

CUstream_st* stream_number(std::size_t i) {
  return reinterpret_cast<CUstream_st*>(i);
}

/// As cuda::stream_ref and rmm::cuda_stream_view, which are made of a stream implicitly.
struct stream_ref {
  CUstream_st* stream;
  stream_ref(CUstream_st* s) : stream(s) {}
};

/// As rmm::device_async_resource_ref up to CCCL 2: a reference, which is copied.
struct older_ref {
  calls* log;
  void* allocate(std::size_t, std::size_t = alignof(std::max_align_t)) { throw std::bad_alloc(); }  // not in stream order
  void deallocate(void*, std::size_t, std::size_t = alignof(std::max_align_t)) noexcept {}
  void* allocate_async(std::size_t bytes, std::size_t alignment, stream_ref stream) {
    if (bytes > 1000) throw std::bad_alloc();
    log->allocated.push_back({log, bytes, alignment, stream.stream});
    return log;
  }
  void* allocate_async(std::size_t bytes, stream_ref stream) { return allocate_async(bytes, 1, stream); }
  void deallocate_async(void* block, std::size_t bytes, std::size_t alignment, stream_ref stream) {
    log->freed.push_back({block, bytes, alignment, stream.stream});
  }
};

/// As from CCCL 3 on.
struct newer_ref {
  calls* log;
  void* allocate_sync(std::size_t, std::size_t) { throw std::bad_alloc(); }
  void deallocate_sync(void*, std::size_t, std::size_t) noexcept {}
  void* allocate(stream_ref stream, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    if (bytes > 1000) throw std::bad_alloc();
    log->allocated.push_back({log, bytes, alignment, stream.stream});
    return log;
  }
  void deallocate(stream_ref stream, void* block, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept {
    log->freed.push_back({block, bytes, alignment, stream.stream});
  }
};

/// Not in stream order: not accepted.
struct other_resource {
  void* allocate(std::size_t bytes, std::size_t alignment);
  void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept;
};
static_assert(ordo::stream_ordered_resource<older_ref> && ordo::stream_ordered_resource<newer_ref>);
static_assert(!ordo::stream_ordered_resource<other_resource> && !ordo::stream_ordered_resource<int>);

template <class Ref>
void check_resource() {
  calls log;
  ordo::rmm_allocator adapter(Ref{&log});
  ordo::device_allocator& allocator = adapter;
  void* const block = allocator.allocate(100, stream_number(16));
  CHECK(block == &log);
  allocator.deallocate(block, 100, stream_number(32));
  CHECK(log.allocated == std::vector<call>{{block, 100, 256, stream_number(16)}});
  CHECK(log.freed == std::vector<call>{{block, 100, 256, stream_number(32)}});
  CHECK_THROWS_AS(allocator.allocate(1001, nullptr), std::bad_alloc);
}

}  // namespace

TEST_CASE("memory resources of RMM allocate for a gpu", "[adapters][small]") {
  check_resource<older_ref>();
  check_resource<newer_ref>();
}

TEST_CASE("PyTorch's allocator allocates for a gpu", "[adapters][small]") {
  auto& torch = c10::cuda::CUDACachingAllocator::stand_in::get();
  ordo::torch_allocator adapter;
  ordo::device_allocator& allocator = adapter;
  void* const block = allocator.allocate(100, stream_number(16));
  CHECK(torch.blocks.size() == 1);
  CHECK(torch.blocks[block].first == 100);
  CHECK(torch.blocks[block].second == stream_number(16));
  allocator.deallocate(block, 100, stream_number(32));
  CHECK(torch.blocks.empty());
  torch.limit = 50;
  CHECK_THROWS_AS(allocator.allocate(51, nullptr), std::bad_alloc);
  torch.limit = ~std::size_t{0};
}
