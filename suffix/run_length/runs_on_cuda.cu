#include "suffix/run_length/runs_on.hpp"

#include "ordo/gpu.cuh"
#include "sort_core/cuda/runtime/devices.hpp"
#include "sort_core/cuda/runtime/error.cuh"
#include "sort_core/cuda/runtime/staging.hpp"
#include "sort_core/scoped_machine.hpp"

namespace ordo::inline v0::suffix::run_length {
namespace {

/// Calls functions on a GPU that it holds.
class on_cuda {
 public:
  on_cuda(machine_options const& options, unsigned gpu_index)
      : lease_(std::make_unique<scoped_machine<gpu>>(options, gpu_index)),
        beside_(std::make_unique<cuda_detail::staging>()) {}
  template <class F>
  auto operator()(F f) const {
    return with_backend(**lease_, f);
  }

  /// Copies from the host, beside functions that another thread calls, and waits. @param to  memory that those do not use
  void upload_beside(void* to, void const* from, std::size_t bytes) const {
    cuda_detail::device_scope const current((*lease_)->index());
    cudaStream_t const stream = beside_->stream_beside();
    beside_->upload(to, from, bytes, stream);
    ORDO_CUDA(cudaStreamSynchronize(stream));
  }

 private:
  std::unique_ptr<scoped_machine<gpu>> lease_;
  std::unique_ptr<cuda_detail::staging> beside_;
};

}  // namespace

std::unique_ptr<runs_on_gpu> make_runs_on_cuda(machine_options const& options, unsigned gpu_index) {
  return std::make_unique<runs_on<cuda_backend, on_cuda>>(on_cuda(options, gpu_index));
}

}  // namespace ordo::inline v0::suffix::run_length
