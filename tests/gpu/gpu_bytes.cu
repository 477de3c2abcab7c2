#include "tests/unit/machines_gpu.hpp"

#include "ordo/gpu.cuh"
#include "tests/unit/guarded.hpp"

ordo::buffer<unsigned char> copied_bytes(ordo::gpu& on, std::vector<unsigned char> const& image) {
  return ordo::with_backend(on, [&](ordo::cuda_backend& backend) { return copied_bytes(backend, image); });
}

void read_bytes(ordo::gpu& on, unsigned char const* from, unsigned char* to, std::size_t n) {
  ordo::with_backend(on, [&](ordo::cuda_backend& backend) { read_bytes(backend, from, to, n); });
}

std::unique_ptr<ordo::memory_resource> plain_gpu_memory() {
  return std::make_unique<ordo::device_memory>();
}
