#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/gpu_bench.cuh"
#include "ordo/backend.hpp"

// The check of sorts that fill the memory: it needs the input's rule, and no copy of it.
namespace ordo::inline v0::bench {

/// Counts the arrays that are out of order, or whose floats are not those of `fresh`: the sums and the xors of their mixed
/// words must agree. Each warp checks one array.
inline __global__ void __launch_bounds__(256)
    verify_arrays(float const* data, std::size_t count, std::size_t length, key_at<float> fresh, unsigned long long* wrong) {
  std::size_t const array = (std::size_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (array >= count) return;
  std::size_t const begin = array * length;
  std::uint64_t total = 0, parity = 0;
  bool ordered = true;
  for (std::size_t i = begin + threadIdx.x % 32; i < begin + length; i += 32) {
    std::uint64_t const is = mixed(encode_key(data[i])), was = mixed(encode_key(fresh(i)));
    total += is - was;
    parity ^= is ^ was;
    if (i > begin && encode_key(data[i - 1]) > encode_key(data[i])) ordered = false;
  }
  for (int step = 16; step != 0; step /= 2) {
    total += __shfl_xor_sync(~0u, total, step);
    parity ^= __shfl_xor_sync(~0u, parity, step);
  }
  ordered = __all_sync(~0u, ordered);
  if (threadIdx.x % 32 == 0 && (!ordered || total != 0 || parity != 0)) atomicAdd(wrong, 1ull);
}

inline std::uint64_t wrong_arrays(cuda_backend& lab, std::span<float const> data, std::size_t length, key_at<float> fresh) {
  std::size_t const count = data.size() / length;
  auto const wrong = lab.buffer<unsigned long long>(1);
  fill(lab, wrong.span(), constant<unsigned long long>{0});
  verify_arrays<<<unsigned((count + 7) / 8), 256, 0, lab.stream()>>>(data.data(), count, length, fresh, wrong.data());
  ORDO_CUDA(cudaGetLastError());
  return value_at(lab, wrong.span(), 0);
}

}  // namespace ordo::inline v0::bench
