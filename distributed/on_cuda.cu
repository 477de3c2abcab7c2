#include "distributed/sort.hpp"
#include "ordo/gpu.cuh"

namespace ordo::inline v0::detail {

void sort_over_cuda(communicator& members, machine& on, sort_task const& task, share_lengths const& lengths) {
  with_backend(static_cast<gpu&>(on), [&](cuda_backend& backend) { sort_over_on(members, on, backend, task, lengths); });
}

}  // namespace ordo::inline v0::detail
