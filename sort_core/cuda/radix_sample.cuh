#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordo/radix_key.hpp"
#include "sort_core/cuda/primitives/float_numbers.hpp"
#include "sort_core/cuda/primitives/instructions.cuh"
#include "sort_core/cuda/radix_choice.hpp"
#include "sort_core/cuda/runtime/launch.cuh"
#include "sort_core/cuda/tuning/radix.hpp"

// The sample of keys that a radix sort examines before it chooses its method (radix_choice.hpp). The host waits for it, so
// latency counts. The GPU sorts the sample, because sorting 1024 keys took the host longer than all the rest, and writes it to
// memory that the host can read directly.
namespace ordo::inline v0::cuda_detail {

/// Sorts the codes of `count` keys from all over an array, one from each `stride` of them. Each block loads all of them into
/// dynamic shared memory, and computes the rank of some.
/// @param ascents  receives the number of sampled keys that are at most the next in the array, unless it is null
template <class K>
__global__ void __launch_bounds__(tuning::sampling_threads)
    sample_keys(K const* keys, std::size_t stride, key_code<K> code, unsigned count, std::uint64_t* sorted,
                std::uint64_t* ascents) {
  wait_for_previous();
  K* const sample = reinterpret_cast<K*>(dynamic_shared_memory());
  for (std::size_t i = threadIdx.x; i < count; i += tuning::sampling_threads)
    sample[i] = code.encode(keys[i * stride + place_in_stride(i, stride)]);
  __syncthreads();
  if (blockIdx.x == 0 && ascents) {
    unsigned ascending = 0;
    for (unsigned first = 0; first + 1 < count; first += tuning::sampling_threads) {
      unsigned const i = first + threadIdx.x;
      ascending += unsigned(__syncthreads_count(i + 1 < count && sample[i] <= sample[i + 1]));
    }
    if (threadIdx.x == 0) *ascents = ascending;
  }
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

/// Queues the kernel.
/// @param to       receives at most n codes, in device memory or the host's pinned memory
/// @param ascents  there, too, or null
template <class K>
void draw_sample(kernel_launcher& on, K const* keys, std::size_t n, key_code<K> code, std::span<std::uint64_t> to,
                 std::uint64_t* ascents = nullptr) {
  launch<sample_keys<K>>(on, unsigned(to.size() + tuning::keys_a_block - 1) / tuning::keys_a_block, tuning::sampling_threads,
                         to.size() * sizeof(K), keys, n / to.size(), code, unsigned(to.size()), to.data(), ascents);
}

/// Computes the float_numbers of such a sample.
template <class K>
__global__ void choose_numbers(std::uint64_t const* sorted, unsigned count, key_code<K> code, float_numbers* numbers) {
  wait_for_previous();
  if (threadIdx.x == 0) *numbers = float_numbers::suiting(sorted, count, code);
}

}  // namespace ordo::inline v0::cuda_detail
