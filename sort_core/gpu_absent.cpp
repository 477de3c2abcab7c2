#include <utility>

#include "ordo/error.hpp"
#include "ordo/gpu.hpp"
#include "sort_core/one_user.hpp"
#include "sort_core/operations/products.hpp"

// ordo::gpu in a build without CUDA: every call that needs a device throws.
namespace ordo::inline v0 {
namespace {

[[noreturn]] void refuse() {
  throw usage_error("no GPU support: this build was compiled without CUDA");
}

}  // namespace

struct gpu::state {
  unsigned index;
};

gpu::gpu(gpu_options const& options) : own_(std::make_unique<state>(state{options.device})), state_(own_.get()) {}
gpu::gpu(state* shared, CUstream_st* stream) noexcept : state_(shared), view_stream_(stream) {}
gpu::~gpu() = default;
gpu::gpu(gpu&& other) noexcept
    : own_(std::move(other.own_)), state_(std::exchange(other.state_, nullptr)), view_stream_(other.view_stream_) {}
gpu& gpu::operator=(gpu&& other) noexcept {
  if (this == &other) return *this;
  own_ = std::move(other.own_);
  state_ = std::exchange(other.state_, nullptr);
  view_stream_ = other.view_stream_;
  return *this;
}

gpu::state& gpu::checked() const {
  if (!state_) detail::refuse_moved_from("gpu");
  return *state_;
}

gpu_view gpu::with_stream(CUstream_st* stream) const noexcept {
  return gpu_view(gpu(state_, stream));
}
unsigned gpu::index() const {
  return checked().index;
}
cuda_backend& gpu::backend() {
  refuse();
}
CUstream_st* gpu::stream() {
  refuse();
}
void gpu::synchronize() {
  refuse();
}
void gpu::reserve(std::size_t) {
  refuse();
}
void gpu::trim(std::size_t) noexcept {}
std::size_t gpu::peak_memory() noexcept {
  return 0;
}
void gpu::run(detail::sort_task const&) {
  refuse();
}
std::size_t gpu::memory_for(detail::sort_task const&) {
  refuse();
}
std::uint64_t gpu::run(detail::operation_task const&) {
  refuse();
}
std::size_t gpu::memory_for(detail::operation_task const&) {
  refuse();
}
std::uint64_t gpu::stream(detail::stream_task const&) {
  refuse();
}

namespace detail {

template <class T>
void multiply_in_parts(gpu&, csr_argument<T> const&, csr_argument<T> const&, std::uint64_t, on_product_part<T> const&) {
  refuse();
}
template <class T>
csr_matrix<T> multiply_whole(gpu&, csr_argument<T> const&, csr_argument<T> const&, std::uint64_t) {
  refuse();
}
template <class T>
void release_csr(gpu&, csr_matrix<T>&, std::uint64_t*, std::uint32_t*, T*) {
  refuse();
}

}  // namespace detail
}  // namespace ordo::inline v0

ORDO_PRODUCTS_OF(gpu, float)
ORDO_PRODUCTS_OF(gpu, double)
