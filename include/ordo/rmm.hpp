#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "ordo/gpu.hpp"

#pragma GCC visibility push(default)

// Temporary memory of a gpu from a memory resource of RMM or libcu++. This header includes neither: it compiles with any version
// of them.
namespace ordo::inline v0 {

/// A reference to a resource that allocates in the order of a stream: rmm::device_async_resource_ref,
/// cuda::mr::async_resource_ref and cuda::mr::resource_ref. A stream is passed as a cudaStream_t, from which rmm::cuda_stream_view
/// and cuda::stream_ref are made. Newer versions take the stream first, older ones have functions that end in _async.
template <class Resource>
concept stream_ordered_resource =
    requires(Resource& resource, void* block, std::size_t n, CUstream_st* stream) {
      { resource.allocate(stream, n, n) } -> std::same_as<void*>;
      resource.deallocate(stream, block, n, n);
    } ||
    requires(Resource& resource, void* block, std::size_t n, CUstream_st* stream) {
      { resource.allocate_async(n, n, stream) } -> std::same_as<void*>;
      resource.deallocate_async(block, n, n, stream);
    };

/// A device_allocator over a memory resource of RMM or libcu++. It holds the reference, not the resource, which must outlive the
/// machine. If memory runs out, sorts throw ordo::out_of_memory, because rmm::bad_alloc is a std::bad_alloc.
/// @code
///   ordo::rmm_allocator allocator(rmm::mr::get_current_device_resource_ref());
///   ordo::gpu gpu({.stream = stream.value(), .allocator = &allocator});
/// @endcode
template <stream_ordered_resource Resource>
class rmm_allocator final : public device_allocator {
 public:
  explicit rmm_allocator(Resource resource) noexcept(std::is_nothrow_move_constructible_v<Resource>)
      : resource_(std::move(resource)) {}

  void* allocate(std::size_t bytes, CUstream_st* stream) override {
    if constexpr (takes_stream_first)
      return resource_.allocate(stream, bytes, alignment);
    else
      return resource_.allocate_async(bytes, alignment, stream);
  }
  void deallocate(void* block, std::size_t bytes, CUstream_st* stream) noexcept override {
    if constexpr (takes_stream_first)
      resource_.deallocate(stream, block, bytes, alignment);
    else
      resource_.deallocate_async(block, bytes, alignment, stream);
  }

 private:
  static constexpr std::size_t alignment = 256;
  static constexpr bool takes_stream_first = requires(Resource& resource, std::size_t n, CUstream_st* stream) {
    resource.allocate(stream, n, n);
  };
  Resource resource_;
};

}  // namespace ordo::inline v0
#pragma GCC visibility pop
