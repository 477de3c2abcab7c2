
#include "sort_core/cuda/cuda.cuh"
#include "sort_core/machine.hpp"
#include "tests/catch.hpp"

// What only the GPU machine has: launches that overlap.
namespace {

namespace od = ordo::detail;

__global__ void what_it_was_compiled_for(unsigned* architecture) {
  od::wait_for_previous();
#if defined(__CUDA_ARCH__)
  *architecture = __CUDA_ARCH__;
#endif
}

}  // namespace

TEST_CASE("kernels are launched early where they wait, and nowhere else", "[cuda][small]") {
  if (ordo::gpus().empty()) return;
  ordo::cuda machine;
  auto const architecture = machine.buffer<unsigned>(1);
  od::launch<what_it_was_compiled_for>(machine.stream(), 1, 1, 0, architecture.data());
  bool const waits = ordo::value_at(machine, architecture.span(), 0) >= 900;
  bool const early = od::facts_of<what_it_was_compiled_for>().may_overlap;
  CHECK((waits || !early));
  int driver = 0;
  ORDO_CUDA(cudaDriverGetVersion(&driver));
  if (driver >= 12030 && CUDART_VERSION >= 12030) CHECK(early == waits);
}
