#include "ordo/gpu.hpp"

#include <optional>
#include <utility>

#include "ordo/gpu.cuh"
#include "sort_core/algorithms/run_stream.hpp"
#include "sort_core/algorithms/run_task.hpp"
#include "sort_core/check_operation.hpp"
#include "sort_core/cuda/operations.cuh"
#include "sort_core/one_user.hpp"

namespace ordo::inline v0 {
namespace {

/// True if every sort checks offsets on the device.
#ifdef NDEBUG
constexpr bool checks_offsets = false;
#else
constexpr bool checks_offsets = true;
#endif

void check_task_segments(cuda_backend& backend, detail::sort_task const& task) {
  if (task.segments != 0 && !detail::check_task_bounds(backend, task)) detail::check_task_overlap(backend, task);
}

}  // namespace

struct gpu::state {
  gpu_options options;
  std::optional<cuda_backend> backend;  // created by the first call
  detail::one_user user;

  /// Calls f(machine) on its device, if there is a machine.
  template <class F>
  void if_created(F f) noexcept try {
    if (!backend) return;
    cuda_detail::device_scope const on(options.device);
    cuda_backend::stream_scope const queue(*backend, std::nullopt);
    f(*backend);
  } catch (error const&) {  // the device is lost, with all of its memory
  }
  ~state() {
    if (!backend) return;
    try {
      cuda_detail::device_scope const on(options.device);
      backend.reset();
    } catch (error const&) {  // the device is lost, with all of its memory
    }
  }
};

gpu::gpu(gpu_options const& options) : own_(std::make_unique<state>()), state_(own_.get()) {
  state_->options = options;
}
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
  return checked().options.device;
}

cuda_backend& gpu::backend() {
  state& all = checked();
  if (!all.backend) {
    cuda_detail::device_scope const on(all.options.device);
    all.backend.emplace(all.options);
  }
  return *all.backend;
}

CUstream_st* gpu::stream() {
  return view_stream_ ? *view_stream_ : backend().main_stream();
}

void gpu::synchronize() {
  CUstream_st* const queued_on = stream();
  cuda_detail::device_scope const on(index());
  ORDO_CUDA(cudaStreamSynchronize(queued_on));
}

// On the machine's stream, also of a view: an allocator frees a block in the order of the stream that it was allocated on.
void gpu::reserve(std::size_t bytes) {
  detail::machine_use const now(checked().user, "gpu");
  cuda_backend& machine = backend();
  cuda_detail::device_scope const on(index());
  cuda_backend::stream_scope const queue(machine, std::nullopt);
  machine.pool().reserve(bytes);
}

// The memory of a call of another thread is left alone.
void gpu::trim(std::size_t max_bytes) noexcept {
  if (!state_ || !state_->user.try_enter()) return;
  state_->if_created([=](cuda_backend& backend) { backend.pool().trim(max_bytes); });
  state_->user.leave();
}

std::size_t gpu::peak_memory() noexcept {
  if (!state_ || !state_->user.try_enter()) return 0;
  std::size_t const peak = state_->backend ? state_->backend->pool().reset_peak() : 0;
  state_->user.leave();
  return peak;
}

void gpu::run(detail::sort_task const& task) {
  detail::machine_use const now(checked().user, "gpu");
  detail::check_arguments(task);
  with_backend(*this, [&](cuda_backend& backend) {
    bool const only_checks = task.what == detail::sort_task::operation::check;
    if (only_checks || (checks_offsets && backend.may_wait())) check_task_segments(backend, task);
    detail::run_task(backend, task);
  });
}

std::size_t gpu::memory_for(detail::sort_task const& task) {
  detail::machine_use const now(checked().user, "gpu");
  detail::check_extents(task);
  return with_backend(*this, [&](cuda_backend& backend) { return detail::memory_of_task(backend, task); });
}

std::uint64_t gpu::run(detail::operation_task const& task) {
  detail::machine_use const now(checked().user, "gpu");
  detail::check_operation(task);
  return with_backend(*this, [&](cuda_backend& backend) {
    if (checks_offsets && backend.may_wait()) check_task_segments(backend, task.sort);
    return detail::run_operation(backend, task);
  });
}

std::size_t gpu::memory_for(detail::operation_task const& task) {
  detail::machine_use const now(checked().user, "gpu");
  detail::check_operation_width(task);
  detail::check_operation_extents(task);
  return with_backend(*this, [&](cuda_backend& backend) { return detail::memory_of_operation(backend, task); });
}

std::uint64_t gpu::stream(detail::stream_task const& task) {
  detail::machine_use const now(checked().user, "gpu");
  gpu_options like = state_->options;
  like.stream.reset();
  auto const with_lane = [&](auto use) {
    cuda_detail::device_scope const on(like.device);
    cuda_backend lane(like);
    use(lane);
  };
  std::size_t const lanes = like.allocator ? 1 : detail::max_stream_lanes;
  return with_backend(*this, [&](cuda_backend& backend) { return detail::run_stream(backend, task, lanes, with_lane); });
}

}  // namespace ordo::inline v0

// The sorts of the operations, which are compiled in sources of their own (cuda/operations.cuh).
template void ordo::detail::run_typed_task<ordo::cuda_backend, std::uint8_t>(cuda_backend&, sort_task const&);
template void ordo::detail::run_typed_task<ordo::cuda_backend, std::uint16_t>(cuda_backend&, sort_task const&);
template void ordo::detail::run_typed_task<ordo::cuda_backend, std::uint32_t>(cuda_backend&, sort_task const&);
template void ordo::detail::run_typed_task<ordo::cuda_backend, std::uint64_t>(cuda_backend&, sort_task const&);
