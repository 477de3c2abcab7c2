#include "ordo/gpu.hpp"

#include <optional>
#include <utility>

#include "ordo/gpu.cuh"
#include "sort_core/run_stream.hpp"
#include "sort_core/run_task.hpp"

namespace ordo {
namespace {

/// Are offsets on the device checked by every sort?
#ifdef NDEBUG
constexpr bool checks_offsets = false;
#else
constexpr bool checks_offsets = true;
#endif

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  ORDO_CUDA(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

void check_segments_of(cuda_backend& machine, detail::sort_task const& task) {
  if (task.segments != 0 && !detail::check_bounds_of(machine, task)) detail::check_overlap_of(machine, task);
}

}  // namespace

struct gpu::state {
  gpu_options how;
  std::optional<cuda_backend> machine;  // made by the first call

  /// f(machine) on its device, if there is a machine.
  template <class F>
  void if_made(F f) noexcept try {
    if (!machine) return;
    cuda_detail::device_scope const on(how.device);
    f(*machine);
  } catch (error const&) {  // the device is lost, and all of it gone
  }
  ~state() {
    if_made([this](cuda_backend&) { machine.reset(); });
  }
};

gpu::gpu(gpu_options const& how) : state_(std::make_unique<state>()) {
  state_->how = how;
}
gpu::~gpu() = default;
gpu::gpu(gpu&&) noexcept = default;
gpu& gpu::operator=(gpu&&) noexcept = default;

unsigned gpu::index() const noexcept {
  return state_->how.device;
}

cuda_backend& gpu::backend() {
  if (!state_->machine) {
    cuda_detail::device_scope const on(state_->how.device);
    state_->machine.emplace(state_->how);
  }
  return *state_->machine;
}

CUstream_st* gpu::stream() {
  return backend().stream();
}

void gpu::synchronize() {
  with_backend(*this, [](cuda_backend& machine) { ORDO_CUDA(cudaStreamSynchronize(machine.stream())); });
}

void gpu::reserve(std::size_t bytes) {
  with_backend(*this, [=](cuda_backend& machine) { machine.pool().reserve(bytes); });
}

void gpu::trim(std::size_t keep) noexcept {
  state_->if_made([=](cuda_backend& machine) { machine.pool().trim(keep); });
}

std::size_t gpu::peak_memory() noexcept {
  return state_->machine ? state_->machine->pool().take_peak() : 0;
}

void gpu::run(detail::sort_task const& task) {
  detail::check_arguments(task);
  with_backend(*this, [&](cuda_backend& machine) {
    bool const asked = task.what == detail::sort_task::operation::check;
    if (asked || (checks_offsets && !is_capturing(machine.stream()))) check_segments_of(machine, task);
    detail::run_task(machine, task);
  });
}

std::size_t gpu::memory_for(detail::sort_task const& task) {
  return with_backend(*this, [&](cuda_backend& machine) { return detail::memory_of_task(machine, task); });
}

std::uint64_t gpu::stream(detail::stream_task const& task) {
  gpu_options like = state_->how;
  like.stream.reset();
  auto const with_lane = [&](auto use) {
    cuda_detail::device_scope const on(like.device);
    cuda_backend lane(like);
    use(lane);
  };
  std::size_t const lanes = like.allocator ? 1 : detail::most_stream_lanes;
  return with_backend(*this, [&](cuda_backend& machine) { return detail::run_stream(machine, task, lanes, with_lane); });
}

}  // namespace ordo
