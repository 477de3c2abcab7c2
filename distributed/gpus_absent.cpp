#include "distributed/sort.hpp"

// Communicators of GPUs in a build without CUDA.
namespace ordo::inline v0 {

void run_members(std::span<unsigned const>, std::function<void(communicator&, gpu&)> const&, gpu_exchange) {
  throw usage_error("no GPU support: this build was compiled without CUDA");
}
bool nccl_present() {
  return false;
}

namespace detail {
void sort_over_cuda(communicator&, machine&, sort_task const&, share_lengths const&) {
  throw usage_error("no GPU support: this build was compiled without CUDA");
}
}  // namespace detail

}  // namespace ordo::inline v0
