#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sort_core/cuda/backend.cuh"
#include "sort_core/cuda/few_segments.cuh"
#include "sort_core/cuda/kernels/grid_sort.cuh"
#include "sort_core/cuda/primitives/parts.hpp"

// Each combination of key and value type is an instance (CMakeLists.txt).
namespace ordo::inline v0::cuda_detail {

template <class K, class V>
bool sort_in_one_launch(cuda_backend& backend, K const* keys_from, K* keys, V const* values_from, V* values, std::size_t n,
                        key_code<K> code) {
  using sizes = grid_sizes<K, V>;
  if (n <= few_sizes<K, V>::capacity || n > tuning::one_launch_up_to(sizeof(K), value_bytes<V>) || !sizes::possible())
    return false;
  auto& kernels = backend.kernels();
  unsigned const wanted = n <= tuning::half_grid_up_to ? tuning::half_grid : ~0u;
  unsigned const blocks = std::min(wanted, kernels.resident_blocks<sort_in_grid<K, V>>(sizes::threads, sizes::shared_bytes));
  // A block of a GPU with few of them sorts its share bucket by bucket.
  std::size_t const min_buckets = tuning::buckets_a_capacity * n / sizes::capacity;
  auto const buckets = unsigned(std::clamp<std::size_t>(std::bit_ceil(std::max<std::size_t>(4 * blocks, min_buckets)), 64,
                                                        sizes::max_buckets));
  unsigned const sampled = sizes::threads * (n < tuning::large_sample_from || blocks < 2 ? 1 : 2);
  std::size_t const value_size = value_bytes<V>;
  auto const room = backend.buffer<char>(parts::size(n * sizeof(K)) + parts::size(n * value_size) +
                                         parts::size(sampled * sizeof(sampled_item<K>)) +
                                         parts::size((blocks + 1) * std::size_t{buckets} * sizeof(std::uint32_t)));
  parts taken(room.data());
  K* const away_keys = taken.take<K>(n);
  V* away_values = nullptr;
  if constexpr (value_bytes<V> != 0) away_values = taken.take<V>(n);
  segment_data<K, V, stored_keys<K>> const data{{keys, code}, values, nullptr, nullptr, away_keys, away_values};
  auto* const sample = taken.take<sampled_item<K>>(sampled);
  auto* const counts = taken.take<std::uint32_t>((blocks + 1) * std::size_t{buckets});
  grid_work<K, V> const work{keys_from, values_from, std::uint32_t(n),         sampled, buckets, sample,
                             counts,    counts + std::size_t{blocks} * buckets};
  launch_some_cooperative<sort_in_grid<K, V>>(kernels, blocks, sizes::threads, sizes::shared_bytes, data, work);
  return true;
}

}  // namespace ordo::inline v0::cuda_detail

#define ORDO_SORT_IN_ONE_LAUNCH(K, V)                                                                             \
  template bool ordo::cuda_detail::sort_in_one_launch<K, V>(ordo::cuda_backend&, K const*, K*, V const*, V*, std::size_t, \
                                                            ordo::key_code<K>);
