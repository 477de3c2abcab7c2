#include "suffix/run_length/runs_on.hpp"

#include "ordo/gpu.cuh"
#include "sort_core/scoped_machine.hpp"

namespace ordo::inline v0::suffix::run_length {
namespace {

/// Calls functions on a GPU that it holds.
class on_cuda {
 public:
  on_cuda(machine_options const& options, unsigned gpu_index)
      : lease_(std::make_unique<scoped_machine<gpu>>(options, gpu_index)) {}
  template <class F>
  auto operator()(F f) const {
    return with_backend(**lease_, f);
  }

 private:
  std::unique_ptr<scoped_machine<gpu>> lease_;
};

}  // namespace

std::unique_ptr<runs_on_gpu> make_runs_on_cuda(machine_options const& options, unsigned gpu_index) {
  return std::make_unique<runs_on<cuda_backend, on_cuda>>(on_cuda(options, gpu_index));
}

}  // namespace ordo::inline v0::suffix::run_length
