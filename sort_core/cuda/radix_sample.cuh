#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/float_numbers.hpp"
#include "sort_core/cuda/instructions.cuh"
#include "sort_core/cuda/launch.cuh"
#include "sort_core/cuda/radix_choice.hpp"
#include "sort_core/cuda/tuning/radix.hpp"

// The keys that a radix sort looks at before it chooses its way (radix_choice.hpp). The host waits for them, so that what
// counts is the time to the last one: they come in order, as sorting 1024 of them took the host longer than all the rest, and
// go straight to where it reads them.
namespace ordo::cuda_detail {

/// Codes of `count` keys from all over an array, one from each `stride` of them, in order. Each block takes all, in dynamic
/// shared memory, and finds for some of them how many come before.
template <class K>
__global__ void __launch_bounds__(tuning::sampling_threads)
    sample_keys(K const* keys, std::size_t stride, key_code<K> code, unsigned count, std::uint64_t* sorted) {
  wait_for_previous();
  K* const sample = reinterpret_cast<K*>(dynamic_shared_memory());
  for (std::size_t i = threadIdx.x; i < count; i += tuning::sampling_threads)
    sample[i] = code.encode(keys[i * stride + place_in_stride(i, stride)]);
  __syncthreads();
  for (unsigned first = blockIdx.x * tuning::keys_a_block; first < count; first += gridDim.x * tuning::keys_a_block) {
    unsigned const i = first + threadIdx.x / tuning::lanes_a_key;
    K const key = i < count ? sample[i] : K{0};
    unsigned rank = 0;
    for (unsigned j = threadIdx.x % tuning::lanes_a_key; j < count; j += tuning::lanes_a_key)
      rank += sample[j] < key || (sample[j] == key && j < i);
#pragma unroll
    for (unsigned step = tuning::lanes_a_key / 2; step > 0; step /= 2) rank += __shfl_xor_sync(all_lanes, rank, step);
    if (threadIdx.x % tuning::lanes_a_key == 0 && i < count) sorted[rank] = key;
  }
}

/// Queues that.
/// @param to  of n items or fewer; device memory, or pinned memory of the host
template <class K>
void take_sample(kernel_launcher& on, K const* keys, std::size_t n, key_code<K> code, std::span<std::uint64_t> to) {
  launch<sample_keys<K>>(on, unsigned(to.size() + tuning::keys_a_block - 1) / tuning::keys_a_block, tuning::sampling_threads,
                         to.size() * sizeof(K), keys, n / to.size(), code, unsigned(to.size()), to.data());
}

/// What numbers suit floats, told by such a sample.
template <class K>
__global__ void choose_numbers(std::uint64_t const* sorted, unsigned count, key_code<K> code, float_numbers* numbers) {
  wait_for_previous();
  if (threadIdx.x == 0) *numbers = float_numbers::suiting(sorted, count, code);
}

}  // namespace ordo::cuda_detail
