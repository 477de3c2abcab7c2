#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sort_core/cuda/samples.cuh"

/// Returns keys of which the GPU's sample sort learns almost nothing, made from the positions that it samples. The samples of
/// each of `levels` levels are less than all other keys, which therefore stay in one bucket. Of the other keys, each three are
/// equal.
template <class Traits>
std::vector<std::uint32_t> misleading(std::size_t n, unsigned levels) {
  constexpr std::uint32_t unknown = ~0u;
  std::vector<std::uint32_t> keys(n, unknown), sample;
  std::vector<std::size_t> bucket(n);  // items of the large bucket, in order
  for (std::size_t i = 0; i < n; ++i) bucket[i] = i;
  std::uint32_t next = 0;
  for (; levels != 0 && bucket.size() > Traits::block_capacity; --levels) {
    ordo::cuda_detail::sample_places const places(n - bucket.size(), bucket.size(), Traits::bucket, Traits::sorter::capacity);
    sample.clear();
    for (unsigned i = 0; i < places.size; ++i) {
      std::uint32_t& key = keys[bucket[places[i]]];
      if (key == unknown) key = next++;
      sample.push_back(key);
    }
    std::sort(sample.begin(), sample.end());
    std::uint32_t const last_splitter = sample[(places.buckets - 1) * places.share - 1];
    bucket.erase(std::remove_if(bucket.begin(), bucket.end(), [&](std::size_t i) { return keys[i] <= last_splitter; }),
                 bucket.end());
  }
  next = (next / 3 + 1) * 3;
  for (std::size_t i = n; i-- != 0;)
    if (keys[i] == unknown) keys[i] = next++ / 3 * 3;
  return keys;
}
